"""The English that is known beside spelling: words too common to tell anything, forms that no suffix rule finds, and
words that mean the same, verbs of commands. Plain lists on purpose: other languages work without them, but for the
signs of change, which are known in several. Where the search uses a list, a change to it makes every index anew. Owns
nothing on disk."""

# Words of every text, as `words.raw` gives them: without apostrophes.
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

# What people say to be kind; it is looked for, but tells nothing of what a text is about.
KIND = """
also amazing appreciate awesome beautiful best bet bye cheers congrats cool definitely even excited exciting fantastic
feel fun give glad good great haha hear hello hope incredible inspiring keep kind know love lovely lucky mean nice proud
sound sounds super support sure sweet take totally touch wonderful words yup
"""

# The form to file under, then the forms that no suffix rule leads back to it.
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

# Words that are one word to the search.
SAME = """
mother mom mum mommy mummy mama; father dad daddy papa; grandmother grandma granny nana; grandfather grandpa granddad;
child kid; friend buddy pal; photograph photo pic picture; puppy pup; dog doggo doggy doggie; cat kitty; movie film;
bicycle bike; tournament tourney; festival fest; vacation holiday; phone telephone mobile smartphone; television tv;
computer pc; application app; favourite favorite fav fave; colour color; university uni; mail email;
repository repo; directory folder; configuration config; password passwd; error failure; delete remove erase
"""

# Words that tell when: a turn with one of them is the likelier answer to "when".
TIMES = """
yesterday today tonight tomorrow ago since recently soon just last next week weeks weekend month months year years day
days monday tuesday wednesday thursday friday saturday sunday january february april june july august september
october november december
"""

# Words that other languages have in every text and English has not: German, French, Spanish, Italian, Dutch, Danish.
OTHERS = """
und der das ist nicht ein eine mit für auf zu den dem sich auch wird hat les des est pas une pour dans avec qui sur los
las una para con por está pero il che della di non gli het een niet voor zijn og det er ikke til som av
"""

MONTHS = """
january february march april may june july august september october november december
"""
DAYS = "monday tuesday wednesday thursday friday saturday sunday"

# Verbs that people give standing instructions with: "always answer …".
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

# Signs of change, as `words.raw` gives words; a clause has a sign when it has its words in this order, ^ begins it.
# English, then German, Dutch and Scandinavian, French, Spanish, Italian, Portuguese, Polish, Russian, Chinese and
# Japanese. The first say themselves that what was said before holds no more.
REVOKES = """
no longer; anymore; any more; any longer; instead; scrap that; strike that; correction; i was wrong; i was mistaken
my mistake; i misspoke; i meant; changed my mind; change of plan; change of plans; on second thought
on second thoughts; rescheduled; postponed; pushed back; brought forward; cancelled; canceled; called off; moved to
moved from; changed to; changed from; switched to; switched from; switching to; replaced; used to be; stopped; quit
gave up; ^not; ^actually
nicht mehr; kein mehr; keine mehr; keinen mehr; keinem mehr; keiner mehr; doch nicht; stattdessen; verschoben; verlegt
abgesagt; geandert; umgezogen; ^nicht
niet meer; geen meer; verplaatst; verzet; afgezegd; ikke længere; flyttet til; aflyst; inte langre; flyttat till
ne plus; nest plus; nai plus; nhabite plus; reporte; reportee; annule; annulee; deplace; deplacee; plutot; a change
ya no; cambio a; ha cambiado; cancelado; cancelada; aplazado; aplazada; en vez; en lugar
non piu; spostato; spostata; annullato; annullata; cambiato; cambiata; rinviato; rinviata; invece
ja nao; nao mais; adiado; adiada; mudou; mudei
juz nie; przełozono; przełozone; przeniesiono; przeniesione; odwołano; odwołane
больше не; перенесен; перенесена; перенесено; перенесли; отменен; отменена; отменили
改到; 改成; 改为; 不再; 取消; 変更
"""

# The next deny that something ever was.
DENIES = """
have never; has never; had never; ive never; weve never; never been; never had; never met; never did
noch nie; nie zuvor; nog nooit; aldrig; jamais; nunca; non mai; nigdy; никогда
"""

# These may be news alone: they count where they come with another value.
NEWS = """
now; new; recently; update; updated; updating; adjusted; increased; decreased; reduced; improved; extended; raised
dropped; lowered; reached; expanded; gone up; gone down; turns out; turned out; revised; corrected
jetzt; neue; neuen; neuer; neues; nu; nieuwe; maintenant; desormais; nouveau; nouvelle; ahora; nuevo; nueva; adesso
nuovo; nuova; agora; novo; nova; teraz; nowy; nowa; теперь; новыи; новая; 现在; 新的; 今は
"""

# Words that are the whole first clause of a reply which takes back what was just said.
REPLIES = "no nope actually sorry wait oops correction nein doch quatsch nee non nej nie нет 不是"

# What adds to what was said, and so takes nothing back.
ADDS = "also too additionally another besides auch ausserdem ook aussi tambien anche tambem rowniez тоже также"
