"""Words that tell nothing of what a text is about: those of every text, and those that people say to be kind."""

_EVERYWHERE = """
a about after again all also am an and any are aren't as at be because been before being but by can can't could did
didn't do does doesn't doing don't down each even few for from further get give go got had has have having he hello
her here hers hey hi him his how i i'd i'll i'm i've if in into is isn't it it's its just know let like me more most
much my no nor not now of off oh ok okay on once one only or other our ours out over own please really same she should
so some such than thank thanks that that's the their them then there these they they're this those through to too
under until up us very was wasn't we we'd we'll we're well were what what's when where which while who whom why will
with won't would yeah yes you you'd you'll you're your yours
"""
_KIND = """
amazing appreciate awesome beautiful best bet bye cheers congrats cool definitely excited exciting fantastic feel fun
glad good great haha hear hope incredible inspiring keep kind love lovely lucky mean nice proud sound sounds super
support sure sweet take totally touch wonderful words wow yep yup
"""
STOPS = frozenset(_EVERYWHERE.split()) | frozenset(_KIND.split())
