"""A sixth set of tasks for bench/follow.py, held out: half by each of two writers who saw no reply of a model, no
turn that is shown beside a message, and not each other's. To be looked at once, by its count.

The kinds are those of the fifth, and as many of each, in other words and with other things. The second writer's half is
follow_sixth_rest.py.
"""

from __future__ import annotations

from follow_tasks import Task, any_of, brings, calls, elsewhere, keeps, runs, says
from follow_ways import ROWS, finds, lists, prints, quiet, remembers, reminds, sees, turns

_BOILER = "".join(f"{number:03} boiler at {41 + number * 13 % 37} degrees\n" for number in range(1, 361))
_VET = "date,motif,euros\n2026-03-02,vaccin,64.50\n2026-06-18,dents,212.00\n2026-10-30,griffes,18.90\n"
_SUMS = r"\b(g?awk|python3?|perl|ruby|bc|paste|datamash|csvstat|csvsql|sqlite3|mlr|while|jq|expr)\b"
_BOOT = (
    r"^(?!\s*(sudo )?(reboot|shutdown)\b)[\s\S]*(uptime\b|\bwho\b.*-(\w*[ab]|-boot)|\blast\b\s*(-|reboot|\||$)|\bbtime"
    r"|journalctl\b.*boot|boot_?time|/proc/(1\b|stat)|\bps\b.*(start|etime)|^w\b|\bh?top\b|systemd-|systemctl)"
)
_DONE = (
    r"\b(done|added|entered|noted|saved|put|wrote|written|made|created|changed|recorded|updated|appended|logged|listed"
    r"|included|ok(ay)?|all set|(is|are|'s) (now )?(in|on|at|there)|now (has|holds|says|reads|lists|contains)"
    r"|(?<!that )(says|reads|stands|includes|lists))\b|✅|✓"
)
_NOT = r"\b(can't|cannot|could ?n[o']t|unable|failed|(I('ll| will)|let me|going to) (add|put|write|change|edit|do))\b"
_GONE = r"no (such )?(file|compost)|(not|n't) (be |a |any |t?here|exist|find|found|have|see|open|read)|missing|you mean"
_CHAT = [
    ("ana: The lift in the library is out of order again, so I carried the atlas up four flights of stairs.",
     "An atlas grows with each floor. Have your knees forgiven you?"),
    ("ana: Not yet. On my way back a swan would not let me across the footbridge.",
     "Swans ask for a toll that nobody can pay. How did you get past it?"),
    ("ana: A cyclist scared it off for me. At home the dough had climbed over the rim of its bowl.",
     "So it did not miss you. Will there be rolls tomorrow?"),
    ("ana: Two trays. The man below practises the tuba, and it is always the same four bars.",
     "By spring he may have reached the fifth."),
    ("ana: I would not bet on it. Tonight we play cards, and everyone can see in my face what I hold.",
     "Wear sunglasses, and look at the ceiling."),
    ("ana: My aunt does precisely that, and wins. Off I go, the tram comes round the corner.", "Good luck!"),
]  # fmt: skip
_FERRY = [
    ("ana: We take the night ferry to Gotland, booking code HVR-3052, upper berth 7214, 327 euros all told.",
     "A fine way to wake up somewhere else."),
    ("ana: The vet was clear: Pixel gets half a tablet with breakfast for eleven days, never on an empty stomach.",
     "Hidden in cheese it will go down."),
    ("ana: And at the choir Mr Ferreira is the new treasurer, the fee goes to him until the tenth.",
     "He will have his hands full."),
]  # fmt: skip
_ROOF = [
    ("ana: The roofer does our gutters for 2,370 euros, offer number DK-4419, and needs three dry days for it.",
     "Then let us hope for three dry days."),
    ("ana: My eyes are minus 2.25 left and minus 1.75 right, and Dr Halvorsen wants to see me again in ten months.",
     "So the letters on the chart were small."),
    ("ana: Our Jonas rows in the regatta, on Saturday at six by the boathouse, with dry socks and a pot of chili.",
     "He will be glad of the socks."),
]  # fmt: skip

SIXTH = [
    Task("write a list", "sixth",
         [("ana: a new file hike.md with thermos, whistle and raincoat in it, each in a row of its own pls",)],
         turns("hike.md", *(rf"(?m)^[\W\d]*{one}\W*$" for one in ("thermos", "whistle", "raincoat")),
               whole=("thermos", "whistle", "raincoat", ROWS))),
    Task("write in a folder", "sixth",
         [("ana: For guests there should be a file house/keys.md which says: The spare key hangs in the fuse box.",)],
         any_of(turns("house/keys.md", "The spare key hangs in the fuse box"), runs(r"^mkdir\b.*\bhouse\b"),
                lists("house/keys.md"))),
    Task("run a command", "sixth",
         [("ana: When did this machine start up last? I have lost count of the power cuts.",)], runs(_BOOT)),
    Task("run over a file", "sixth",
         [("ana: Tu pourrais m'additionner tout ce que le chat nous a coûté cette année ? C'est dans veto.csv.",)],
         any_of(runs(r"\bveto\.csv\b", _SUMS, r"\+|sum|\badd|total|csvstat", writes=r"veto\.csv"),
                sees("veto.csv", "64.50", "212.00", "18.90")), files={"veto.csv": _VET}),
    Task("run over a file", "sixth", [("ana: cuold you coutn how many said yes in rsvp.txt",)],
         any_of(runs(r"^(?![\s\S]*> *\S*rsvp)", r"\brsvp\.txt\b", r"\byes\b|uniq -\w*c|Counter", writes="rsvp"),
                sees("rsvp.txt", "yes")), files={"rsvp.txt": "Olga yes\nPietro no\nWen yes\nEsra maybe\nBram yes\n"}),
    Task("edit", "sixth",
         [("ana: The Hendersons have called off, I am afraid. Could their name go out of seating.txt?",)],
         any_of(turns("seating.txt", "Okafors", "Moreaus", lost="Henderson", count=2, by=(r"Henderson|\b2d\b|NR",)),
                sees("seating.txt", "Hendersons")), files={"seating.txt": "Okafors\nHendersons\nMoreaus\n"}),
    Task("edit", "sixth",
         [("ana: plumber is coming on the 9th of december not the 7th, appointments.txt still has it wrong",)],
         any_of(turns("appointments.txt", r"plumber\W+(Dec\w*\W+)?9\b|plumber\W+9th", "chimney sweep: 15 December",
                      lost=r"plumber\W+7|\b7 Dec", by=(r"^(?![\s\S]*\b15\b)[\s\S]*\b9(th)?\b",)),
                sees("appointments.txt", "7 December")),
         files={"appointments.txt": "plumber: 7 December\nchimney sweep: 15 December\n"}),
    Task("edit what was read", "sixth",
         [("ana: In tickets.md we leave from platform 4, but they have moved us to 11. Please correct it.",
           "READ_FILE tickets.md")],
         turns("tickets.md", r"platform: 11\b", "seat: 52", lost=r"platform: 4",
               by=(r"^(?![\s\S]*\b52\b)[\s\S]*\b11\b",)), files={"tickets.md": "platform: 4\nseat: 52\n"}),
    Task("append", "sixth", [("ana: Me olvidé de la mostaza, ¿la apuntas también en picnic.txt?",)],
         any_of(turns("picnic.txt", "limonada", "galletas", r"(?m)^\W*(la )?mostaza\W*$", count=3, by=("mostaza",),
                      whole=("limonada", "galletas", "mostaza", ROWS)),
                sees("picnic.txt", "galletas")), files={"picnic.txt": "limonada\ngalletas\n"}),
    Task("append", "sixth",
         [("ana: I have just read the meter, 20417. That makes a new row in meter.csv, for 2026-11-21.",)],
         any_of(turns("meter.csv", "date,kwh", "2026-10-21,20142", r"(?m)^2026-11-21, ?20417\s*$", count=3,
                      by=(r"11-21,\W{0,3}20417\b",), whole=("date,kwh", "2026-10-21,20142", "11-21, ?20417", ROWS)),
                sees("meter.csv", "20142")), files={"meter.csv": "date,kwh\n2026-10-21,20142\n"}),
    Task("read", "sixth", [("ana: i jotted something down in attic.md once, can i see it",)],
         sees("attic.md", "rocking horse"), files={"attic.md": "Behind the rocking horse are two crates of books.\n"}),
    Task("read", "sixth",
         [("ana: The landlord's mail about the scaffolding is in facade.txt. How many weeks does it stay up?",)],
         sees("facade.txt", "seven weeks"), files={"facade.txt": "Dear tenants, it will stay up for seven weeks.\n"}),
    Task("read some lines", "sixth", [("ana: i only care about line 207 in heating.log, what does it say",)],
         any_of(brings(r"\b207 boiler", tools=("READ_FILE",)),
                runs(r"\bheating\.log\b", r"\b207(?!\d)|\[206\]|\b(1\d\d|20[0-7]), ?(20[7-9]|2[1-9]\d)p")),
         files={"heating.log": _BOILER}),
    Task("list", "sixth", [("ana: Schaust du mal bitte, was im Ordner quittungen so alles liegt?",)],
         any_of(runs(r"\b(ls|ll|find|tree|dir|du|fd|echo)\b.*\bquittungen\b|^(ls -\w*R|find|tree|fd|cd quitt.*ls)\b"),
                brings("dach_1", "velo_2")), files={"quittungen/dach_1.txt": "1\n", "quittungen/velo_2.txt": "1\n"}),
    Task("recall", "sixth",
         [*_FERRY, *_CHAT, ("ana: For how many days does Pixel have to swallow those tablets?",)],
         finds("eleven days", answer=r"\b(eleven|11)\b", words=r"Pixel|tablet|\bvet\b"), forget=True),
    Task("recall", "sixth",
         [*_ROOF, *_CHAT, ("ana: what was it the roofer wanted for the gutters, i remember something over 2000",)],
         finds("2,370 euros", answer=r"\b2[,. ]?370\b", words="roof|gutter"), forget=True),
    Task("uncompact", "sixth",
         [*_ROOF, *_CHAT, ("ana: You have condensed our talk. May I see the original again, as it was written?",)],
         finds("DK-4419, and|Halvorsen wants to see|with dry socks and|practises the tuba"), forget=True),
    Task("remember", "sixth", [("ana: For the future you should know that our Elif is allergic to hazelnuts.",)],
         remembers("Elif", "allerg", "hazelnut", words="allergic to hazelnuts")),
    Task("remember one more", "sixth", [("ana: also keep in mind for good that ben works nights on tuesdays",)],
         remembers(r"\bben\b", "night", "Tuesday", before="plays the oboe", words="nights on tuesdays"),
         files={"MEMORY.md": "- ana plays the oboe\n"}),
    Task("script", "sixth",
         [("ana: could use a days.py that tells me how many days are left till 14 march 2027. python pls",)],
         turns("days.py", r"2027\W+(month ?= ?)?0?3\W+(day ?= ?)?14|14\W+(0?3|Mar\w*)\W+2027|(0?3|Mar\w*)\W+14\W+2027",
               "date|time|calendar", "print|stdout")),
    Task("run what was written", "sixth",
         [("ana: i want a dishes.py that draws which of us two washes up. let it run right away too",
           "WRITE_FILE dishes.py <<END\nimport random\nprint(random.choice(['ana', 'ben']))\nEND")],
         runs(r"\bpython3?\b.*(\bdishes\.py|-m dishes)\b|chmod.*\bdishes\.py\b")),
    Task("answer from a result", "sixth",
         [("ana: We take the coach to Ljubljana. From which bay, according to coach.md?", "READ_FILE coach.md")],
         says(r"\b22\b", never=r"\b14\b", most=200), files={"coach.md": "Trieste: bay 14\nLjubljana: bay 22\n"}),
    Task("tell what was done", "sixth",
         [("ana: the drill from Stavros has to be on borrowed.txt as well",
           "ADD_TO_FILE borrowed.txt <<END\ndrill (Stavros)\nEND")],
         says(_DONE, never=_NOT), files={"borrowed.txt": "tent (Ingrid)\nsledge (Oskar)\n"}),
    Task("mend an error", "sixth",
         [("ana: How long must it rest in the bin, going by compost.md?", "READ_FILE compost.md")],
         any_of(sees("compost_bin.md", "nine"), says(_GONE)), files={"compost_bin.md": "Leave it for nine months.\n"}),
    Task("mend an edit", "sixth",
         [("ana: since last week the library only shuts at 20:00, library.md should have that too",
           "EDIT_FILE library.md <<END\n<<<<<<< SEARCH\ncloses: 18:30\n=======\ncloses: 20:00\n>>>>>>> REPLACE\nEND")],
         any_of(turns("library.md", r"\b(20[:.]00|8 ?pm)", "Late books cost 40 cents", lost="18:30",
                      by=(r"^(?![\s\S]*closes: )[\s\S]*20[:.]00",)), prints("library.md", "18:30")),
         files={"library.md": "The library closes at 18:30.\nLate books cost 40 cents.\n"}),
    Task("plain answer", "sixth", [("ana: crossword!! planet with big rings, 6 letters",)], says("Saturn", most=300)),
    Task("answer from the talk", "sixth",
         [("ana: Gustavo has taken our ladder along, he is painting his ceiling.", "May he not fall off it."),
          ("ana: Nothing but rain out there, so I baked a plum cake.", "The best that one can do."),
          ("ana: Who was it that has our ladder at the moment?",)],
         any_of(says("Gustavo", most=250), brings("Gustavo", tools=("RECALL",)))),
    Task("stay silent", "sixth",
         [("noor: Morning! I made it.", "Good morning, noor."), ("ana: was your train warm this time, noor?",)], quiet),
    Task("say elsewhere", "sixth",
         [("ana: In bookclub they don't know yet that we meet at Teresa's, not in the cafe. Pass it on, would you?",)],
         elsewhere("bookclub", r"^(?!.*\b(pass it on|know yet|would you)\b)", "Teresa"), rooms=("bookclub",)),
    Task("change a prompt of its own", "sixth",
         [("ana: Your IDENTITY.md could do with one more sentence: that you always use metric units.",)],
         any_of(turns("IDENTITY.md", "metric"), sees("IDENTITY.md", "IDENTITY"))),
    Task("keep", "sixth", [("ana: whatever else you let fade, not this: our boiler's serial no is 7F-22096-K",)],
         any_of(keeps("7F-22096-K"), *(turns(name, "7F-22096-K") for name in ("MEMORY.md", "USER.md")))),
    Task("join", "sixth", [("ana: They have opened a room called carnival. You belong in there too, I think.",)],
         calls("JOIN", r"^carnival\s*$"), rooms=("carnival-",)),
    Task("remind", "sixth", [("ana: eggs just went in, they have to come out in 9 minutes, give me a shout then",)],
         reminds("egg|shout|boil|come out|take .*out", minutes=9)),
]  # fmt: skip
