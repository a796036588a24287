"""An agent's state and context, computed from its log and blobs, and the prompt made from them.

Any import from here first imports the records of the capabilities, so that their events can be read.
"""

from dotagent import capabilities

capabilities.modules("record", capabilities.names())
