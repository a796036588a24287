"""Shell: an agent runs commands, in a sandbox if the machine has one, and processes that outlive its turn."""
