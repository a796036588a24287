"""Lists of English words: stop words, irregular forms, synonyms, and verbs of commands.

They are lists on purpose: text in other languages works without them. A change to a list that the search uses rebuilds
every index. Owns nothing on disk.
"""

# Stop words, in the form of `words.raw`: without apostrophes.
STOP = """
a about above after again against all am an and any are arent as at be because been before being below between both but
by can cannot cant could couldnt did didnt do does doesnt doing done dont down during each few for from further get gets
getting go goes going gone gonna got had hadnt has hasnt have havent having he hed hell her here hers herself hes hey hi
him himself his how however i id if ill im in into is isnt it its itself ive just let lets like made make makes making
may me might more most much must my myself no nor not now of off oh ok okay on once one only or other our ours ourselves
out over own please quite really same say says said she shed should shouldnt so some such than thank thanks that thats
the their theirs them themselves then there theres these they theyd theyll theyre theyve thing things this those through
to too under until up upon us very was wasnt we wed well were weve what whats when where which while who whom whose why
will with wont would wouldnt wow yeah yep yes yet you youd youll your youre yours yourself youve
"""

# Polite and emotional words, which the search indexes but which say nothing about a topic.
KIND = """
also amazing appreciate awesome beautiful best bet bye cheers congrats cool definitely even excited exciting fantastic
feel fun give glad good great haha hear hello hope incredible inspiring keep kind know love lovely lucky mean nice proud
sound sounds super support sure sweet take totally touch wonderful words yup
"""

# First the indexed form, then the irregular forms that no suffix rule reduces to it.
IRREGULAR = """
become became; begin began begun; bend bent; bite bit bitten; blow blew blown; break broke broken; bring brought;
build built; buy bought; catch caught; child children; choose chose chosen; come came; deal dealt; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
find found; fly flew flown; foot feet; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
give gave given; grow grew grown; half halves; hang hung; hear heard; hide hid hidden; hold held; keep kept;
knife knives; know knew known; lay laid; lead led; leaf leaves; learn learnt; leave left; lend lent; lie lain;
lose lost; man men; mean meant; meet met; mouse mice; pay paid; person people; ride rode ridden;
ring rang rung; rise rose risen; run ran; see saw seen; seek sought; sell sold; send sent; shake shook shaken;
shelf shelves; shine shone; shoot shot; show shown; sing sang sung; sink sank sunk; sit sat; sleep slept;
speak spoke spoken; spend spent; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn;
swim swam swum; take took taken; teach taught; tear tore torn; tell told; think thought; throw threw thrown;
tooth teeth; understand understood; wake woke woken; wear wore worn; wife wives; win won; woman women;
write wrote written
"""

# Synonyms for the search.
SAME = """
mother mom mum mommy mummy mama; father dad daddy papa; grandmother grandma granny nana; grandfather grandpa granddad;
child kid; friend buddy pal; photograph photo pic picture; puppy pup; dog doggo doggy doggie; cat kitty; movie film;
bicycle bike; tournament tourney; festival fest; vacation holiday; phone telephone mobile smartphone; television tv;
computer pc; application app; favourite favorite fav fave; colour color; university uni; mail email;
repository repo; directory folder; configuration config; password passwd; error failure; delete remove erase
"""

# Frequent words of other languages that are not English: German, French, Spanish, Italian, Dutch, Danish.
OTHERS = """
und der das ist nicht ein eine mit für auf zu den dem sich auch wird hat les des est pas une pour dans avec qui sur los
las una para con por está pero il che della di non gli het een niet voor zijn og det er ikke til som av
"""

MONTHS = """
january february march april may june july august september october november december
"""
DAYS = "monday tuesday wednesday thursday friday saturday sunday"

# Verbs of standing instructions: "always answer …".
COMMANDS = """
add address answer apply ask assume attach avoid back be begin book bring build buy call cancel cc change
check choose cite clean close commit confirm contact convert copy create cut delete deploy disclose discuss do double
download edit email encrypt end ensure enter exclude explain export file finish follow force format forward get give go
greet guess hide ignore include install introduce invite keep leave let link list lock log look mail make mark mention
merge mix move name obey offer open order override overwrite pay pick post prefer prefix print promise provide publish
push put quote read rebase recommend refer refuse remember remind remove rename repeat replace reply report request
respond restart return reveal review round run save say schedule send serve set share show sign skip sort speak spell
start stop store suggest switch take talk tell test touch translate treat trust try turn type update upgrade upload use
validate verify wait warn wear work write
"""

# Capitalised after the day and its point: “am 5. Mai”.
GERMAN_MONTHS = "januar jänner februar märz april mai juni juli august september oktober november dezember"

# Shortened words with a vowel that come before a name or a number, in many languages.
SHORTENED = "Prof approx Inc Fig"
