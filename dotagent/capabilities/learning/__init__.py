"""Learning: look for repetitions in past events (dreaming), so that a person can decide which of them to learn. With
`dream` in settings, an idle agent does so each night."""
