"""The web page of a home: talk in rooms, and look into agents, from a browser. `dotagent view` serves it.

It is a separate process. `route.py` says how a part of the page (`rooms.py` …) declares what the browser may ask,
`app.py` joins the parts, `guard.py` refuses what does not come from the page itself, `keys.py` keeps who may look, and
`serve.py` runs it. `static/` is what the browser loads: plain modules, without a build step.
"""
