"""Skills: folders with a SKILL.md in the open Agent Skills format, which tell an agent how a kind of task is done.

An agent is shown the names of all and the descriptions of those that its person trusts, and reads the rest when it
needs it. What a person trusts is one version of a whole folder, by its hash: another one is a stranger's again.
"""
