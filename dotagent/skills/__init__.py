"""Skills: folders with a SKILL.md in the open Agent Skills format, which explain how to do a kind of task.

An agent sees the names of all skills and the descriptions of trusted ones, and reads the rest when needed. Trust
applies to one version of a whole folder, by its hash; a changed folder is untrusted again. Owns `skills/` in the home.
"""
