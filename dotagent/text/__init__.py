"""Text, pure: the grammar of replies, the door for what is outside, times, references, sizes, extraction. Known to all,
it imports nothing of dotagent and touches no file."""
