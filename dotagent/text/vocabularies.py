"""The words of times: of each line what a word means, and its forms. Data.

English has labels: a letter that `phrases.py` reads, with a value. Other languages use the English words, and the words
of SPECIAL in capitals for what English does not tell apart: HOUR is a length or a time of day, LE and ART are articles,
SMALL are the hours after midnight. `-` is a word without a meaning, `?` is a word that changes a time, and `??` is a
word that no time contains.
"""

from __future__ import annotations

SPECIAL = """
I bare: IN
I: in
o full: OCLOCK
q45: 3quarter
P4: SMALL
h: HOUR
Y86400: DAYPM
d86400: DAY
c: MONTH
r: YEAR
v2: OTHER
E gap: EVERYGAP
E each: EACHGAP
j: EACH
E d86400: EVERYDAY
E m1: EVERYMONTH
y m1: NEXTMONTH
I over: OVER
? holiday: HOLIDAY
t in: TOIN
F: FROMNOW
L le: LE
L le: ART
n: NOON
P0: am
P0: AM
Bpm: pm
Bpm: PM
"""
_ENGLISH = """
D0: today
D1: tomorrow
D2: day after tomorrow
D0 P3: tonight
P0: morning/mornings
P1: afternoon/afternoons
P2: evening/evenings
P3: night/nights
W0: monday
W1: tuesday
W2: wednesday
W3: thursday
W4: friday
W5: saturday
W6: sunday
b0: mon
b1: tue/tues
b2: wed
b3: thu/thur/thurs
b4: fri
b5: sat
b6: sun
V0: mondays
V1: tuesdays
V2: wednesdays
V3: thursdays
V4: fridays
V5: saturdays
V6: sundays
J1: weekday
J2: weekend
E J1: weekdays
E J2: weekends
M1: january/jan
M2: february/feb
M3: march/mar
M4: april/apr
M5: may
M6: june/jun
M7: july/jul
M8: august/aug
M9: september/sept/sep
M10: october/oct
M11: november/nov
M12: december/dec
u1: seconds/sec/secs
S2: second
u60: minute/minutes/min/mins
u3600: hour/hours/hr/hrs
o: o'clock
e86400: day/days
e604800: week/weeks
e1209600: fortnight/fortnights
m1: month/months
m12: year/years
E every: every/each
E e86400: daily/once a day/every single day
E u3600: hourly
E e604800: weekly
E once e604800: once a week
E m1: monthly
E m12: yearly/annually
I bare: in
!: for/that
F: from now
R: from
A: at/@
L: the/on
i: of
a1: a/an
v2: other
y: next
s: this
l: coming
f: half
q15: quarter/quarters
H: halb
p: past
t: to/through
k: minus
+: plus
&: and
n: noon/midday
z: midnight
Bam: am/a.m./a.m
Bpm: pm/p.m./p.m
N0: zero
N1: one
N2: two
N3: three
N4: four
N5: five
N6: six
N7: seven
N8: eight
N9: nine
N10: ten
N11: eleven
N12: twelve
N13: thirteen
N14: fourteen
N15: fifteen
N16: sixteen
N17: seventeen
N18: eighteen
N19: nineteen
T20: twenty
T30: thirty
T40: forty
T50: fifty
O0: last/end
O1: first
O3: third
O4: fourth
O5: fifth
O6: sixth
O7: seventh
O8: eighth
O9: ninth
O10: tenth
O11: eleventh
O12: twelfth
O13: thirteenth
O14: fourteenth
O15: fifteenth
O16: sixteenth
O17: seventeenth
O18: eighteenth
O19: nineteenth
O20: twentieth
O30: thirtieth
Z UTC: utc/gmt
Z America/New_York: et/est/edt
Z America/Los_Angeles: pt/pst/pdt
Z Europe/Berlin: cet/cest/mez/mesz
Z Europe/Athens: eet/eest
Z Australia/Sydney: aest/aedt
Z Pacific/Auckland: nzst/nzdt
Z Europe/Moscow: msk
Z Asia/Tokyo: jst
Z Asia/Seoul: kst
Z Pacific/Honolulu: hst
? before: before
? after: after
N24 M12: christmas eve
N25 M12: christmas day
N31 M12: new year's eve/new years eve
N1 M1: new year's day/new years day
? until: until/till
? holiday: christmas/xmas/christmas morning/christmas evening/boxing day/easter/easter sunday/easter monday/good friday
? holiday: palm sunday/whit monday/whit sunday/whitsun/pentecost/ash wednesday/shrove tuesday/maundy thursday/lent
? holiday: epiphany/candlemas/ascension day/corpus christi/michaelmas/all saints/all saints day/thanksgiving/halloween
? holiday: black friday/cyber monday/labor day/labour day/memorial day/independence day/veterans day/bank holiday
? holiday: mother's day/mothers day/father's day/fathers day/valentine's day/valentines day/st patrick's day
? holiday: hanukkah/passover/purim/yom kippur/rosh hashanah/ramadan/eid/diwali/lunar new year/chinese new year
? holiday: carnival/mardi gras
?: since/by/around/about/circa/except/not/during/within/between/once/twice/starting/beginning
?: ending/than/alternate/previous/following/prior/anytime/never/either/also/or/ago/later/early/earlier/late/latest
?: earliest/sometime/someday/sharp/roughly/ish/times/thrice/biweekly/bi-weekly/fortnightly/dawn/dusk/sunrise/sunset
?: lunchtime/eod/cob/eve/same time/this time/first thing/local time/berlin time/yesterday
?: exactly/precisely/punctually/onwards/onward/possible/time/alternately
?: ct/mt/cst/mst/mdt/cdt/bst/wet/west/ist/only/couple/few
"""
_GERMAN = """
today: heute
g: morgen
day after tomorrow: übermorgen
morning: früh/morgens/vormittag/vormittags
afternoon: nachmittag/nachmittags
evening: abend/abends
night: nacht/nachts
noon: mittag/mittags
midnight: mitternacht
at: um/gegen punkt
on: am/an/der/die/das/dem/den/zum
of: im/des/vom
IN: in
monday: montag
mon: mo
tuesday: dienstag
tue: di
wednesday: mittwoch
wed: mi
thursday: donnerstag
thu: do
friday: freitag
fri: fr
saturday: samstag/sonnabend
sat: sa
sunday: sonntag
sun: so
mondays: montags
tuesdays: dienstags
wednesdays: mittwochs
thursdays: donnerstags
fridays: freitags
saturdays: samstags/sonnabends
sundays: sonntags
weekday: werktag/werktage
weekend: wochenende/wochenenden
weekdays: werktags
every: jeden/jede/jedes/jeder/jedem/alle
daily: täglich/einmal am tag
hourly: stündlich
weekly: wöchentlich
monthly: monatlich
yearly: jährlich
january: januar/jänner
february: februar/feber
march: märz
april: april
may: mai
june: juni
july: juli
august: august
september: september
october: oktober/okt
november: november
december: dezember/dez
seconds: sekunde/sekunden
minutes: minute/minuten
hours: stunde/stunden/std
15 minutes: viertelstunde/viertelstunden
45 minutes: dreiviertelstunde/dreiviertelstunden
days: tag/tage/tagen/tages
weeks: woche/wochen
months: monat/monate/monaten/monats
years: jahr/jahre/jahren/jahres
OCLOCK: uhr
a: ein/eine/einer/einem/einen/eines
1 and a half: anderthalb/eineinhalb
half: halbe/halben/halber/halbes/einhalb
halb: halb
quarter: viertel
3quarter: dreiviertel
past: nach
to: vor
t: bis
from: von
next: nächste/nächsten/nächster/nächstes
coming: kommenden/kommende/kommender
this: diesen/diese/dieser/dieses
and: und
last: letzten/letzter/letzte/ende
last days of this months: monatsende
1: eins
2: zwei
3: drei
4: vier
5: fünf
6: sechs
7: sieben
8: acht
9: neun
10: zehn
11: elf
12: zwölf
13: dreizehn
14: vierzehn
15: fünfzehn
16: sechzehn
17: siebzehn
18: achtzehn
19: neunzehn
T20: zwanzig
T30: dreißig/dreissig
T40: vierzig
T50: fünfzig
first: ersten/erster/erste
O2: zweiten/zweiter/zweite
third: dritten/dritter/dritte
O7: siebten
O8: achten
?: gegen/ungefähr/etwa/circa/ca/außer/nicht/zwischen/während/seit/ab/einmal/zweimal/dreimal/oder/nur/nie/sondern
?: vorigen/folgenden/jeweils/beginnend/vorher/nachher/spät/spätestens/frühestens/irgendwann/pünktlich/übernächste
?: übernächsten/übernächster/übernächstes/quartal/gestern
?: selbe zeit/gleiche zeit/gleichen zeit/selben zeit/mal/später/früher/zirka/paar
?: genau/ortszeit/zeit/herum/möglich/anfang/mitte/entweder/vorm/kurz/bald/exakt/allerdings/schon/erst
x: ist
24 december: heiligabend
31 december: silvester/silvesterabend
1 january: neujahr/neujahrstag
HOLIDAY: weihnachten/weihnachtstag/weihnachtsfeiertag/ostern/ostersonntag/ostermontag/pfingsten/pfingstsonntag
HOLIDAY: pfingstmontag/karfreitag/gründonnerstag/aschermittwoch/rosenmontag/faschingsdienstag/fasching/fastnacht
HOLIDAY: karneval/palmsonntag/fronleichnam/himmelfahrt/christi himmelfahrt/allerheiligen/allerseelen/nikolaus
HOLIDAY: nikolaustag/reformationstag/dreikönigstag/heilige drei könige/totensonntag/volkstrauertag/muttertag/vatertag
HOLIDAY: valentinstag/feiertag/feiertagen/zuckerfest/nationalfeiertag
"""
_FRENCH = """
in: dans/d'ici
at: à/a
LE: le
every: tous les/toutes les/chaque
plus: et
minus: moins/moins le
a: un/une
today: aujourd'hui
tomorrow: demain
day after tomorrow: après-demain/après demain
this morning: ce matin
this afternoon: cet après-midi
this evening: ce soir
tonight: cette nuit
minutes: minute/minutes/min/mn
HOUR: heure/heures
days: jour/jours
weeks: semaine/semaines
months: mois
years: an/ans/année/années
30 minutes: une demi-heure/demi-heure/une demi heure
15 minutes: un quart d'heure
45 minutes: trois quarts d'heure
2 weeks: quinze jours
1 week: huit jours
week: en huit
noon: midi
midnight: minuit
half: demi/demie
quarter: quart/un quart
am: du matin
in the afternoon: de l'après-midi
in the evening: du soir
morning: matin/le matin/au matin
afternoon: après-midi/l'après-midi
evening: soir/le soir/au soir
night: nuit/la nuit
monday: lundi
tuesday: mardi
wednesday: mercredi
thursday: jeudi
friday: vendredi
saturday: samedi
sunday: dimanche
day: jour
every monday: tous les lundis/chaque lundi
every tuesday: tous les mardis/chaque mardi
every wednesday: tous les mercredis/chaque mercredi
every thursday: tous les jeudis/chaque jeudi
every friday: tous les vendredis/chaque vendredi
every saturday: tous les samedis/chaque samedi
every sunday: tous les dimanches/chaque dimanche
every day: tous les jours/chaque jour/quotidiennement
every morning: tous les matins/chaque matin
every evening: tous les soirs/chaque soir
every weeks: toutes les semaines/chaque semaine
january: janvier
february: février
march: mars
april: avril
may: mai
june: juin
july: juillet
august: août
september: septembre
october: octobre
november: novembre
december: décembre
next week: la semaine prochaine/de la semaine prochaine
next: prochain/prochaine
1: premier/1er
2: deux
3: trois
4: quatre
5: cinq
6: six
7: sept
8: huit
9: neuf
10: dix
11: onze
12: douze
13: treize
14: quatorze
15: quinze
16: seize
T20: vingt
T30: trente
T40: quarante
T50: cinquante
before: avant
after: après
until: jusqu'à
?: lendemain/surlendemain/jusqu'au/jusque/depuis/dès/vers/environ/sauf
?: pas/entre/sans/autour/hier/presque/fin/début/partir
??: de/du/des/au/aux/les
at 1 HOUR: à une heure
every monday to friday: du lundi au vendredi
this: ce/cet/cette
mondays: lundis
tuesdays: mardis
wednesdays: mercredis
thursdays: jeudis
fridays: vendredis
saturdays: samedis
sundays: dimanches
every weekday: chaque jour ouvrable/tous les jours ouvrés/chaque jour ouvré
every weekday: les jours ouvrés/tous les jours ouvrables/les jours ouvrables/en semaine
every month: tous les mois/chaque mois
every 2 weeks: toutes les deux semaines/tous les quinze jours
?: dernier/dernière/passé/passée/suivant/suivante/fois/sur/deux fois
of every month: de chaque mois
?: alterné/alternés/alternées/bimensuel/sauf/pairs/impairs/paire/impaire
17: dix-sept
18: dix-huit
19: dix-neuf
O2: deuxième
third: troisième
O0: dernier/dernière
once a week: une fois par semaine
years: année/l'année
OTHER: sur deux/sur 2
every other days: un jour sur deux/un jour sur 2
every 2 weeks: une semaine sur deux
every hours from: toutes les heures de
of this months: du mois
24 december: veille de noël/la veille de noël
31 december: saint-sylvestre/la saint-sylvestre
HOLIDAY: noël/pâques/pentecôte/ascension/assomption/toussaint/chandeleur/épiphanie/mardi gras/vendredi saint
HOLIDAY: lundi de pâques/lundi de pentecôte/jour férié/jours fériés/fête nationale/armistice/saint-valentin/carnaval
HOLIDAY: fête des mères/fête des pères/nouvel an/jour de l'an/ramadan
?: tard/tôt/précises/précise/pile/possible/mi/peu/plus/soit/ou/veille/seulement/heure de/quinzaine/moitié
"""
_SPANISH = """
in: dentro de/en
at: a/a la/a las
at 1: a la una
on: el/el día/
plus: y
minus: menos
a: un/una
of: de
today: hoy
tomorrow: mañana
day after tomorrow: pasado mañana
this morning: esta mañana
this afternoon: esta tarde
tonight: esta noche
minutes: minuto/minutos/min
HOUR: hora/horas
days: día/días/dia/dias
weeks: semana/semanas
months: mes/meses
years: año/años
30 minutes: media hora/una media hora
15 minutes: un cuarto de hora
45 minutes: tres cuartos de hora
2 weeks: quince días/quince dias
noon: mediodía/al mediodía
midnight: medianoche
half: media
quarter: cuarto/un cuarto
am: de la mañana/de la madrugada
pm: de la tarde
in the night: de la noche
morning: por la mañana
afternoon: por la tarde
evening: por la noche
monday: lunes
tuesday: martes
wednesday: miércoles/miercoles
thursday: jueves
friday: viernes
saturday: sábado/sabado
sunday: domingo
every: cada/todos los/todas las
every day: cada día/todos los días/a diario/diariamente
every monday: cada lunes/todos los lunes/los lunes
every tuesday: cada martes/todos los martes/los martes
every wednesday: cada miércoles/todos los miércoles/los miércoles
every thursday: cada jueves/todos los jueves/los jueves
every friday: cada viernes/todos los viernes/los viernes
every saturday: cada sábado/todos los sábados/los sábados
every sunday: cada domingo/todos los domingos/los domingos
every morning: todas las mañanas/cada mañana
every night: todas las noches/cada noche
january: enero
february: febrero
march: marzo
april: abril
may: mayo
june: junio
july: julio
august: agosto
september: septiembre/setiembre
october: octubre
november: noviembre
december: diciembre
next week: la semana que viene/la próxima semana/de la semana que viene
1: uno/primero
2: dos
3: tres
4: cuatro
5: cinco
6: seis
7: siete
8: ocho
9: nueve
10: diez
11: once
12: doce
13: trece
14: catorce
15: quince
20: veinte
25: veinticinco
T30: treinta
T40: cuarenta
T50: cincuenta
?: antes/después/hasta/desde/hacia/sobre/excepto/salvo/no/entre/sin/ayer/viene/próximo/alrededor/finales/partir
??: del/al/los/las/que
every monday to friday: de lunes a viernes
this: este/esta
every weekday: cada día laborable/todos los días laborables/entre semana/los días laborables
every month: cada mes/todos los meses
?: pasado/pasada/siguiente/veces/próxima
of every month: de cada mes
?: alterno/alternos/alternas/quincenal/quincenalmente/pares/impares
first: primer/primera
O2: segundo
third: tercer/tercero
last: último/última
16: dieciséis
17: diecisiete
18: dieciocho
19: diecinueve
21: veintiuno/veintiuna
22: veintidós
23: veintitrés
24: veinticuatro
every month: cada mes/todos los meses
once a week: una vez a la semana/una vez por semana
years: años
OTHER: sí y otro no/sí , otro no
every other days: un día sí y otro no
of this months: del mes
until: hasta las
24 december: nochebuena
31 december: nochevieja
HOLIDAY: navidad/navidades/pascua/semana santa/viernes santo/jueves santo/domingo de ramos/día de reyes/todos los santos
HOLIDAY: asunción/corpus/año nuevo/san valentín/día de la madre/día del padre/carnaval/día festivo/feriado
from: desde las/de las
?: tarde como/muy tarde/punto/posible/o/u/aproximadamente/menos de/temprano/más tarde/víspera
?: solo/sólo/principios/mediados
?: hora de
"""
_ITALIAN = """
in: tra/fra
at: a/alle/alla/alle ore
at 1: all'una
ART: il/l'
plus: e
minus: meno
a: un/una/un'
a HOUR: un'ora
of: di
today: oggi
tomorrow: domani
day after tomorrow: dopodomani
this morning: stamattina/stamani/questa mattina
this afternoon: questo pomeriggio
this evening: stasera/questa sera
tonight: stanotte
minutes: minuto/minuti/min
HOUR: ora/ore
days: giorno/giorni
weeks: settimana/settimane
months: mese/mesi
years: anno/anni
30 minutes: mezz'ora/una mezz'ora/mezzora
15 minutes: un quarto d'ora
45 minutes: tre quarti d'ora
noon: mezzogiorno/a mezzogiorno
midnight: mezzanotte/a mezzanotte
half: mezza/mezzo
quarter: un quarto/quarto
am: di mattina/del mattino
in the afternoon: del pomeriggio/di pomeriggio
in the evening: di sera/della sera
SMALL: di notte
morning: mattina
afternoon: pomeriggio
evening: sera
monday: lunedì
tuesday: martedì
wednesday: mercoledì
thursday: giovedì
friday: venerdì
saturday: sabato
sunday: domenica
every: ogni/tutti i/tutte le
day: giorno
every day: ogni giorno/tutti i giorni
every morning: ogni mattina/tutte le mattine
every evening: ogni sera/tutte le sere
january: gennaio
february: febbraio
march: marzo
april: aprile
may: maggio
june: giugno
july: luglio
august: agosto
september: settembre
october: ottobre
november: novembre
december: dicembre
next week: la settimana prossima/la prossima settimana/della settimana prossima
next: prossimo/prossima
1: uno/primo
2: due
3: tre
4: quattro
5: cinque
6: sei
7: sette
8: otto
9: nove
10: dieci
11: undici
12: dodici
15: quindici
T20: venti
28: ventotto
25: venticinque
T30: trenta
T40: quaranta
45: quarantacinque
T50: cinquanta
?: prima/dopo/entro/fino/verso/circa/tranne/non/senza/ieri/fine/inizio/partire
??: da/dal/dalla/del/della/delle/al/i/le/gli
every monday to friday: dal lunedì al venerdì
this: questo/questa
every weekday: ogni giorno feriale/nei giorni feriali/tutti i giorni feriali
every month: ogni mese/tutti i mesi
?: scorso/scorsa/seguente/volte/volta
of every month: di ogni mese
?: alterni/alterne/quindicinale/pari/dispari
13: tredici
14: quattordici
16: sedici
17: diciassette
18: diciotto
19: diciannove
21: ventuno
22: ventidue
23: ventitré
O2: secondo
third: terzo
last: ultimo/ultima
once a week: una volta alla settimana
OTHER: sì e uno no/sì , uno no/sì e no
every other days: un giorno sì e uno no
of this months: del mese
until: fino alle
24 december: la vigilia di natale/vigilia di natale
31 december: san silvestro
1 january: capodanno
from: dalle
?: paio/tardi/punto/possibile/o/oppure/presto/circa/vigilia/solo/metà/poco
?: ora di
HOLIDAY: natale/pasqua/pasquetta/lunedì dell'angelo/venerdì santo/ferragosto/epifania/befana/ognissanti/immacolata
HOLIDAY: pentecoste/santo stefano/san valentino/carnevale/martedì grasso/giorno festivo/festivi/festa della mamma
"""
_PORTUGUESE = """
in: daqui a/em/dentro de
at: às/as/à/ao/a
at 1: à uma
on: no dia/no/na/
plus: e
minus: menos
to: para as/para a/para o
a: um/uma
of: de
today: hoje
tomorrow: amanhã
day after tomorrow: depois de amanhã
this morning: esta manhã/hoje de manhã
this afternoon: esta tarde/hoje à tarde
tonight: esta noite/hoje à noite
minutes: minuto/minutos/min
HOUR: hora/horas
days: dia/dias
weeks: semana/semanas
months: mês/meses
years: ano/anos
30 minutes: meia hora/uma meia hora
15 minutes: um quarto de hora
noon: meio-dia/meio dia
midnight: meia-noite/meia noite
half: meia
quarter: um quarto/quarto
am: da manhã/da madrugada
pm: da tarde
in the evening: da noite
morning: de manhã
afternoon: à tarde
evening: à noite
monday: segunda-feira/segunda/segunda feira
tuesday: terça-feira/terça/terça feira
wednesday: quarta-feira/quarta/quarta feira
thursday: quinta-feira/quinta/quinta feira
friday: sexta-feira/sexta/sexta feira
saturday: sábado
sunday: domingo
every: cada/a cada/toda/todo/todas as/todos os
every day: todos os dias/cada dia/diariamente
every monday: toda segunda/todas as segundas/todas as segundas-feiras
every tuesday: toda terça/todas as terças/todas as terças-feiras
every wednesday: toda quarta/todas as quartas/todas as quartas-feiras
every thursday: toda quinta/todas as quintas/todas as quintas-feiras
every friday: toda sexta/todas as sextas/todas as sextas-feiras
every saturday: todo sábado/todos os sábados
every sunday: todo domingo/todos os domingos
every morning: todas as manhãs/toda manhã
every night: todas as noites/toda noite
january: janeiro
february: fevereiro
march: março
april: abril
may: maio
june: junho
july: julho
august: agosto
september: setembro
october: outubro
november: novembro
december: dezembro
next week: na próxima semana/na semana que vem/da próxima semana
1: primeiro
2: dois/duas
3: três
4: quatro
5: cinco
6: seis
7: sete
8: oito
9: nove
10: dez
11: onze
12: doze
15: quinze
T20: vinte
T30: trinta
T40: quarenta
T50: cinquenta
?: antes/depois/até/desde/volta/cerca/exceto/não/sem/ontem/próxima/próximo/fim/final/partir
??: do/da/dos/os/pelo/pela
every monday to friday: de segunda a sexta
this: este/esta/neste/nesta
mondays: segundas/segundas-feiras
tuesdays: terças/terças-feiras
wednesdays: quartas/quartas-feiras
thursdays: quintas/quintas-feiras
fridays: sextas/sextas-feiras
saturdays: sábados
sundays: domingos
every weekday: todos os dias úteis/nos dias úteis/em dias úteis/durante a semana
every month: todo mês/todos os meses/cada mês
EVERYDAY: todo dia
?: passado/passada/seguinte/vezes/vez/vem/que vem
16: dezesseis/dezasseis
17: dezessete/dezassete
18: dezoito
19: dezenove/dezanove
every 2 HOUR: de duas em duas horas
of every month: de cada mês/de todo mês/de todos os meses
?: alternado/alternados/alternadas/quinzenal/quinzenalmente/pares/ímpares/sim
13: treze
14: catorze/quatorze
O2: segundo
third: terceiro/terceira
last: último/última
first: primeira
once a week: uma vez por semana
of this months: do mês
until: até às
24 december: véspera de natal
31 december: véspera de ano novo
from: das
?: tarde demais/ponto/possível/ou/cedo/menos ou/mais/véspera/só/meados/aproximadamente
?: hora de
HOLIDAY: natal/páscoa/sexta-feira santa/carnaval/quarta-feira de cinzas/corpus christi/finados/ano novo/réveillon
HOLIDAY: dia de reis/dia das mães/dia dos pais/dia dos namorados/todos os santos/feriado/feriados
"""
_DUTCH = """
OVER: over
in: binnen
at: om
on: op/
a: een/één
today: vandaag
tomorrow: morgen
day after tomorrow: overmorgen
this morning: vanmorgen/vanochtend
this afternoon: vanmiddag
this evening: vanavond
tonight: vannacht
tomorrow morning: morgenochtend/morgen vroeg
tomorrow afternoon: morgenmiddag
tomorrow evening: morgenavond
minutes: minuut/minuten/min
HOUR: uur/uren
days: dag/dagen
weeks: week/weken
months: maand/maanden
years: jaar/jaren
30 minutes: een half uur/half uur/een halfuur/halfuur
15 minutes: een kwartier/kwartier
45 minutes: drie kwartier
90 minutes: anderhalf uur
every 2 days: om de dag
noon: 12 uur 's middags
midnight: middernacht
halb: half
quarter: kwart
to: voor
am: ' s ochtends/' s morgens
in the afternoon: ' s middags
in the evening: ' s avonds
SMALL: ' s nachts
morning: ochtend
afternoon: middag
evening: avond
night: nacht
monday: maandag
tuesday: dinsdag
wednesday: woensdag
thursday: donderdag
friday: vrijdag
saturday: zaterdag
sunday: zondag
day: dag
every: elke/elk/iedere/ieder/alle
EACHGAP: om de
every day: elke dag/iedere dag/dagelijks
every morning: elke ochtend/iedere ochtend
every evening: elke avond/iedere avond
and: en
january: januari
february: februari
march: maart
april: april
may: mei
june: juni
july: juli
august: augustus
september: september
october: oktober
november: november
december: december
next week: volgende week
next: volgende
2: twee
3: drie
4: vier
5: vijf
6: zes
7: zeven
8: acht
9: negen
10: tien
11: elf
12: twaalf
15: vijftien
20: twintig
25: vijfentwintig
30: dertig
45: vijfenveertig
until: tot
?: na/tegen/vanaf/sinds/rond/ongeveer/behalve/niet/zonder/gisteren/tussen/uiterlijk/eind/begin/vóór
halb 1: half één/half een
every monday to friday: van maandag tot vrijdag/van maandag tot en met vrijdag
this: deze
every weekday: elke werkdag/iedere werkdag/op werkdagen/elke doordeweekse dag/doordeweeks
every month: elke maand/iedere maand
every 2 weeks: om de week
?: vorige/afgelopen/aanstaande/komende/keer/maal/laatste
of every month: van elke maand/van iedere maand
?: tweewekelijks/wisselend/even/oneven/tweede/derde/andere/eerste
on: de/het
of: van
13: dertien
14: veertien
16: zestien
17: zeventien
18: achttien
19: negentien
T20: twintig
T30: dertig
T40: veertig
T50: vijftig
first: eerste
O2: tweede
third: derde
last: laatste
once a week: een keer per week/eenmaal per week
every HOUR from: elk uur van
24 december: kerstavond
31 december: oudejaarsavond
1 january: nieuwjaarsdag
?: precies/of/later/mogelijk/stipt/kort/vlak/alleen/halverwege/vroeg/laat/circa
HOLIDAY: kerst/kerstmis/kerstdag/eerste kerstdag/tweede kerstdag
HOLIDAY: pasen/eerste paasdag/tweede paasdag/paasmaandag/pinksteren
HOLIDAY: tweede pinksterdag/pinkstermaandag/hemelvaart/hemelvaartsdag
HOLIDAY: goede vrijdag/witte donderdag/aswoensdag/sinterklaas
HOLIDAY: koningsdag/bevrijdingsdag/moederdag/vaderdag/valentijnsdag/carnaval/nieuwjaar/feestdag/suikerfeest
"""
_SWEDISH = """
in: om
at: klockan/kl/kl ./vid
on: på/den/
a: en/ett
today: idag/i dag
tomorrow: imorgon/i morgon
day after tomorrow: i övermorgon/övermorgon
this morning: i morse
this afternoon: i eftermiddag
this evening: ikväll/i kväll
tonight: inatt/i natt
tomorrow morning: i morgon bitti/imorgon bitti/i morgon förmiddag
tomorrow evening: i morgon kväll/imorgon kväll
minutes: minut/minuter/min
hours: timme/timmar/tim
days: dag/dagar
weeks: vecka/veckor
months: månad/månader
years: år
30 minutes: en halvtimme/halvtimme/en halv timme
15 minutes: en kvart
45 minutes: tre kvart
noon: mitt på dagen
midnight: midnatt
halb: halv
quarter: kvart
to: i
past: över
am: på morgonen/på förmiddagen
in the afternoon: på eftermiddagen
in the evening: på kvällen
SMALL: på natten
monday: måndag
tuesday: tisdag
wednesday: onsdag
thursday: torsdag
friday: fredag
saturday: lördag
sunday: söndag
every: varje/var/vart
every 2 HOUR: varannan timme
every 2 days: varannan dag
every 2 weeks: varannan vecka
90 minutes: en och en halv timme
every day: varje dag/dagligen
every morning: varje morgon
every evening: varje kväll
and: och
january: januari
february: februari
march: mars
april: april
may: maj
june: juni
july: juli
august: augusti
september: september
october: oktober
november: november
december: december
next week: nästa vecka
next: nästa
2: två
3: tre
4: fyra
5: fem
6: sex
7: sju
8: åtta
9: nio
10: tio
11: elva
12: tolv
15: femton
20: tjugo
30: trettio
45: fyrtiofem
?: före/innan/efter/till/tills/från/sedan/omkring/runt/ungefär/utom/inte/utan/igår/mellan/senast/slutet/början
halb 1: halv ett
1: ett
every monday to friday: måndag till fredag
mondays: måndagar
tuesdays: tisdagar
wednesdays: onsdagar
thursdays: torsdagar
fridays: fredagar
saturdays: lördagar
sundays: söndagar
every weekday: varje vardag/på vardagar/vardagar
every month: varje månad
?: förra/gånger/gång/kommande/sista
every other monday: varannan måndag
every other tuesday: varannan tisdag
every other wednesday: varannan onsdag
every other thursday: varannan torsdag
every other friday: varannan fredag
every other saturday: varannan lördag
every other sunday: varannan söndag
of every month: i varje månad
?: varannan/vartannat/jämna/udda
13: tretton
14: fjorton
16: sexton
17: sjutton
18: arton
19: nitton
T20: tjugo
T30: trettio
T40: fyrtio
T50: femtio
first: första
third: tredje
fourth: fjärde
last: sista
24 december: julafton
and a half HOUR: och en halv timme/och en halvtimme
31 december: nyårsafton
1 january: nyårsdagen
?: prick/eller/senare/möjligt/exakt/ungefär/tidigt/sent/bara/strax/mitten
evening: kväll
morning: morgon/förmiddag
afternoon: eftermiddag
HOLIDAY: jul/juldagen/annandag jul/annandagen/påsk/påskdagen/påskafton/långfredag/långfredagen/skärtorsdag/skärtorsdagen
HOLIDAY: midsommar/midsommarafton/midsommardagen/pingst/pingstdagen/kristi himmelsfärd/trettondagen/valborg/lucia
HOLIDAY: alla helgons dag/nyår/mors dag/fars dag/nationaldagen/helgdag
"""
_POLISH = """
in: za
at: o/o godzinie/godz ./godz
on: w/we/dnia/
and: i
a: jedną/jeden/jedno
today: dziś/dzisiaj
tomorrow: jutro
day after tomorrow: pojutrze
this morning: dziś rano/dzisiaj rano
this evening: dziś wieczorem/dzisiaj wieczorem
tonight: dziś w nocy
tomorrow morning: jutro rano
tomorrow evening: jutro wieczorem
minutes: minutę/minuty/minut/min
HOUR: godzinę/godziny/godzin
days: dzień/dni
weeks: tydzień/tygodnie/tygodni
months: miesiąc/miesiące/miesięcy
years: rok/lata/lat
30 minutes: pół godziny
15 minutes: kwadrans
90 minutes: półtorej godziny
noon: południe/w południe
midnight: północ/o północy/północy
halb: wpół do
quarter TOIN: za kwadrans
quarter past: kwadrans po
am: rano
in the afternoon: po południu
in the evening: wieczorem
SMALL: w nocy
monday: poniedziałek
tuesday: wtorek
wednesday: środa/środę
thursday: czwartek
friday: piątek
saturday: sobota/sobotę
sunday: niedziela/niedzielę
every: co/każdy/każdą/każde/w każdy/w każdą/w każde
every day: codziennie/każdego dnia/co dzień
every morning: co rano/każdego ranka/codziennie rano
every evening: co wieczór/codziennie wieczorem
january: stycznia
february: lutego
march: marca
april: kwietnia
may: maja
june: czerwca
july: lipca
august: sierpnia
september: września
october: października
november: listopada
december: grudnia
next week: w przyszłym tygodniu
1: pierwszej/pierwszą
2: dwa/dwie/drugiej/druga
3: trzy/trzeciej/trzecia
4: cztery/czwartej/czwarta
5: pięć/piątej/piąta
6: sześć/szóstej/szósta
7: siedem/siódmej/siódma
8: osiem/ósmej/ósma
9: dziewięć/dziewiątej/dziewiąta
10: dziesięć/dziesiątej/dziesiąta
11: jedenaście/jedenastej/jedenasta
12: dwanaście/dwunastej/dwunasta
15: piętnaście/piętnastej
T20: dwadzieścia/dwudziestej
T30: trzydzieści
from: od
until: do
monday: poniedziałku
tuesday: wtorku
wednesday: środy
thursday: czwartku
friday: piątku
saturday: soboty
sunday: niedzieli
?: przed/po/około/oprócz/nie/bez/wczoraj/między/najpóźniej/koniec/końcu
every monday to friday: od poniedziałku do piątku
this: ten/tę/w ten/w tę
mondays: poniedziałki
tuesdays: wtorki
wednesdays: środy
thursdays: czwartki
fridays: piątki
saturdays: soboty
sundays: niedziele
every weekday: w dni robocze/w każdy dzień roboczy/w dni powszednie
every month: co miesiąc
?: następny/następną/następne/przyszły/przyszłą/zeszły/ostatni/razy/raz
on: we
13: trzynastej/trzynastego
14: czternastej/czternastego
15: piętnastego
16: szesnastej/szesnastego
17: siedemnastej/siedemnastego
18: osiemnastej/osiemnastego
19: dziewiętnastej/dziewiętnastego
21: dwudziestej pierwszej
22: dwudziestej drugiej
23: dwudziestej trzeciej
of every month: każdego miesiąca
every other: co drugi/co drugą/co drugie
and a half HOUR: i pół godziny
24 december: wigilię/wigilia
31 december: sylwestra/sylwester
?: drugi/trzeci/parzyste/nieparzyste/przemiennie
O1: pierwszego
O2: drugiego
O3: trzeciego
O4: czwartego
O5: piątego
O6: szóstego
O7: siódmego
O8: ósmego
O9: dziewiątego
O10: dziesiątego
O11: jedenastego
O12: dwunastego
O20: dwudziestego
O30: trzydziestego
13: trzynaście
14: czternaście
16: szesnaście
17: siedemnaście
18: osiemnaście
19: dziewiętnaście
T40: czterdzieści
T50: pięćdziesiąt
?: dokładnie/lub/albo/później/przyszłego/możliwości/można/wcześnie/późno/tylko/punktualnie/wcześniej
HOLIDAY: boże narodzenie/wielkanoc/wielki piątek/poniedziałek wielkanocny/lany poniedziałek/boże ciało
HOLIDAY: sylwester/sylwestra/nowy rok/wszystkich świętych/trzech króli/zielone świątki/mikołajki/tłusty czwartek
HOLIDAY: popielec/walentynki/dzień matki/święto
"""
_RUSSIAN = """
in: через
at: в/во/к
and: и
a: один/одну/одна
today: сегодня
tomorrow: завтра
day after tomorrow: послезавтра
this morning: сегодня утром
this afternoon: сегодня днём/сегодня днем
this evening: сегодня вечером
tonight: сегодня ночью
morning: утром
afternoon: днём/днем
evening: вечером
minutes: минуту/минуты/минут/мин
HOUR: час/часа/часов
days: день/дней
weeks: неделю/недели/недель
months: месяц/месяца/месяцев
years: год/года/лет
30 minutes: полчаса
15 minutes: четверть часа
90 minutes: полтора часа
noon: полдень
midnight: полночь
halb: половине/половину/пол
halb 1: полпервого
halb 2: полвторого
halb 3: полтретьего
halb 4: полчетвёртого/полчетвертого
halb 5: полпятого
halb 6: полшестого
halb 7: полседьмого
halb 8: полвосьмого
halb 9: полдевятого
halb 10: полдесятого
halb 11: пол-одиннадцатого
halb 12: пол-двенадцатого/полдвенадцатого
quarter to: без четверти
10 to: без десяти
5 to: без пяти
20 to: без двадцати
am: утра
DAYPM: дня
in the evening: вечера
SMALL: ночи
monday: понедельник
tuesday: вторник
wednesday: среда/среду
thursday: четверг
friday: пятница/пятницу
saturday: суббота/субботу
sunday: воскресенье
every: каждый/каждую/каждое/каждые
every day: каждый день/ежедневно
every morning: каждое утро
every evening: каждый вечер
every monday: по понедельникам
every tuesday: по вторникам
every wednesday: по средам
every thursday: по четвергам
every friday: по пятницам
every saturday: по субботам
every sunday: по воскресеньям
january: января
february: февраля
march: марта
april: апреля
may: мая
june: июня
july: июля
august: августа
september: сентября
october: октября
november: ноября
december: декабря
next week: на следующей неделе
1: первого
2: два/две/второго
3: три/третьего
4: четыре/четвёртого/четвертого
5: пять/пятого
6: шесть/шестого
7: семь/седьмого
8: восемь/восьмого
9: девять/девятого
10: десять/десятого
11: одиннадцать/одиннадцатого
12: двенадцать/двенадцатого
15: пятнадцать
T20: двадцать
T30: тридцать
T40: сорок
?: до/после/с/от/около/примерно/кроме/не/без/вчера/между/к концу/начало/конец/конце
1 pm: час дня
1 am: час ночи
every monday to friday: с понедельника по пятницу
this: этот/эту/в этот/в эту
mondays: понедельникам
tuesdays: вторникам
wednesdays: средам
thursdays: четвергам
fridays: пятницам
saturdays: субботам
sundays: воскресеньям
every weekday: по будням/каждый будний день/в будние дни/по рабочим дням
every month: каждый месяц/ежемесячно
13: тринадцатого
14: четырнадцатого
15: пятнадцатого
16: шестнадцатого
17: семнадцатого
18: восемнадцатого
19: девятнадцатого
T20: двадцатого
T30: тридцатого
?: следующий/следующую/следующее/прошлый/прошлую/последний/последнюю/раз/раза
of every month: числа каждого месяца/каждого месяца
first of every month: каждое первое число/каждое первое число месяца/первое число каждого месяца
last of every month: каждое последнее число/каждое последнее число месяца
?: через день/через раз
?: второй/вторую/второе/третий/чётные/четные/нечётные/поочерёдно
once a week: раз в неделю
13: тринадцать
14: четырнадцать
16: шестнадцать
17: семнадцать
18: восемнадцать
19: девятнадцать
T50: пятьдесят
first: первый/первую/первое
?: ровно/или/позже/можно/перед/накануне/москве/следующего/только/рано/поздно/точно/раньше/начиная
-: числа
HOLIDAY: рождество/пасха/пасху/новый год/крещение/масленица/масленицу/троица/троицу/великий четверг
HOLIDAY: страстная пятница/страстную пятницу/сочельник/радоница/радоницу/день победы/день матери/праздник
"""
_UKRAINIAN = """
in: через/за
at: о/об
on: у/в/
and: і/й/та
a: один/одну
today: сьогодні
tomorrow: завтра
day after tomorrow: післязавтра
this morning: сьогодні вранці
this evening: сьогодні ввечері/сьогодні увечері
morning: вранці
evening: ввечері/увечері
minutes: хвилину/хвилини/хвилин
HOUR: годину/години/годин/годині
days: день/дні/днів
weeks: тиждень/тижні/тижнів
months: місяць/місяці/місяців
30 minutes: півгодини/пів години
noon: полудень/опівдні
midnight: північ/опівночі
am: ранку
pm: дня
in the evening: вечора
SMALL: ночі
monday: понеділок
tuesday: вівторок
wednesday: середа/середу
thursday: четвер
friday: п'ятниця/п'ятницю
saturday: субота/суботу
sunday: неділя/неділю
every: кожен/кожну/кожного/щодня
every day: щодня/кожен день/кожного дня
every morning: щоранку/кожного ранку
every evening: щовечора
every monday: щопонеділка/кожного понеділка
every tuesday: щовівторка
every wednesday: щосереди
every thursday: щочетверга
every friday: щоп'ятниці
every saturday: щосуботи
every sunday: щонеділі
january: січня
february: лютого
march: березня
april: квітня
may: травня
june: червня
july: липня
august: серпня
september: вересня
october: жовтня
november: листопада
december: грудня
1: першій
2: два/дві/другій
3: три/третій
4: чотири/четвертій
5: п'ять/п'ятій
6: шість/шостій
7: сім/сьомій
8: вісім/восьмій
9: дев'ять/дев'ятій
10: десять/десятій
11: одинадцять/одинадцятій
12: дванадцять/дванадцятій
15: п'ятнадцять
T20: двадцять
T30: тридцять
?: до/після/з/від/близько/приблизно/крім/не/без/вчора/між
every weekday: щобудня/по буднях/у будні/кожного робочого дня
every month: щомісяця/кожного місяця
next week: наступного тижня
?: наступний/наступну/наступного/минулого/минулий/останній/раз/рази
?: через день/через раз/другий/другу/друге/парні/непарні
every: кожні
halb 1: пів на першу
halb 2: пів на другу
halb 3: пів на третю
halb 4: пів на четверту
halb 5: пів на п'яту
halb 6: пів на шосту
halb 7: пів на сьому
halb 8: пів на восьму
halb 9: пів на дев'яту
halb 10: пів на десяту
halb 11: пів на одинадцяту
halb 12: пів на дванадцяту
once a week: раз на тиждень
?: рівно/або/пізніше/перед/напередодні/тільки/точно/раніше
HOLIDAY: різдво/великдень/новий рік/водохреще/трійця/трійцю/святвечір/чистий четвер/страсна п'ятниця/страсну п'ятницю
HOLIDAY: день незалежності/день матері/свято
"""
_CHINESE = """
today: 今天/今日
tomorrow: 明天/明日
day after tomorrow: 后天/後天
today evening: 今晚
tomorrow evening: 明晚
today AM: 今早
tomorrow AM: 明早
AM: 早上/上午/凌晨/清晨/早晨
PM: 下午
evening: 晚上
NOON: 中午/正午
midnight: 午夜/半夜十二点
o'clock: 点/點/点钟/點鐘/时/時
half: 半
quarter: 一刻
3quarter: 三刻
minutes: 分/分钟/分鐘
hours: 小时/小時/个小时/個小時/钟头/个钟头
days: 天
weeks: 周/星期/个星期/週
months: 个月/個月
30 minutes: 半小时/半个小时/半個小時/半小時
15 minutes: 一刻钟
and a half hours: 个半小时/個半小時/个半钟头
FROMNOW: 后/後/以后/之后/以後/之後
monday: 周一/星期一/礼拜一/週一
tuesday: 周二/星期二/礼拜二/週二
wednesday: 周三/星期三/礼拜三/週三
thursday: 周四/星期四/礼拜四/週四
friday: 周五/星期五/礼拜五/週五
saturday: 周六/星期六/礼拜六/週六
sunday: 周日/星期日/星期天/周天/礼拜天/週日
next week monday: 下周一/下星期一/下週一
next week tuesday: 下周二/下星期二/下週二
next week wednesday: 下周三/下星期三/下週三
next week thursday: 下周四/下星期四/下週四
next week friday: 下周五/下星期五/下週五
next week saturday: 下周六/下星期六/下週六
next week sunday: 下周日/下星期日/下星期天/下週日
this monday: 这周一/本周一
this tuesday: 这周二/本周二
this wednesday: 这周三/本周三
this thursday: 这周四/本周四
this friday: 这周五/本周五
this saturday: 这周六/本周六
this sunday: 这周日/本周日
every: 每
EVERYGAP: 每隔
every 2 days: 每隔一天/隔天
every day: 每天/每日
every morning: 每天早上/每天上午
every evening: 每天晚上/每晚
every monday: 每周一/每星期一/每週一
every tuesday: 每周二/每星期二/每週二
every wednesday: 每周三/每星期三/每週三
every thursday: 每周四/每星期四/每週四
every friday: 每周五/每星期五/每週五
every saturday: 每周六/每星期六/每週六
every sunday: 每周日/每星期日/每星期天/每週日
NEXTMONTH: 下个月/下個月/下月
MONTH: 月
DAY: 号/號/日
YEAR: 年
minus: 差
24 december: 平安夜
1 january: 元旦
-: 的/在/,
?: 前/之前/以前/左右/大约/不/除了/到/从/昨天/上周/大后天
every monday to friday: 周一到周五/每周一到周五
every weekday: 工作日
and: 和/与/跟/、/及
every weekday: 每个工作日/每個工作日
EVERYMONTH: 每个月/每月/每個月
-: 整
??: 隔
O1: 第一个/第一個/第一
O2: 第二个/第二個/第二
O3: 第三个/第三個/第三
last days: 最后一天/最後一天
last: 最后一个/最後一個
?: 开始/上个/或/或者/最晚/最早/准时/只/约/差不多/以内
this: 这个/這個
HOLIDAY: 春节/春節/除夕/中秋/中秋节/中秋節/端午/端午节/端午節/清明/清明节/清明節/国庆/國慶/国庆节/國慶節/元宵/元宵节
HOLIDAY: 圣诞/圣诞节/聖誕/聖誕節/重阳节/重陽節/七夕/情人节/情人節/劳动节/勞動節/母亲节/母親節/父亲节/冬至
"""
_JAPANESE = """
today: 今日/きょう
tomorrow: 明日/あした/あす
day after tomorrow: 明後日/あさって
today evening: 今晩/今夜
tomorrow evening: 明晩
today morning: 今朝
tomorrow morning: 明朝/明日の朝
AM: 午前
PM: 午後
morning: 朝
evening: 夜/夕方/晩
noon: 正午/昼の12時
midnight: 真夜中
o'clock: 時
half: 半
minutes: 分/分間
hours: 時間
days: 日/日間
weeks: 週間
months: か月/ヶ月/カ月/ヵ月/ケ月
30 minutes: 半時間
FROMNOW: 後
EACH: ごと/毎に
monday: 月曜日/月曜
tuesday: 火曜日/火曜
wednesday: 水曜日/水曜
thursday: 木曜日/木曜
friday: 金曜日/金曜
saturday: 土曜日/土曜
sunday: 日曜日/日曜
next week: 来週
this: 今週
every day: 毎日
every morning: 毎朝/毎日朝
every evening: 毎晩/毎夜/毎夕
every: 毎週/毎
MONTH: 月
DAY: 日
NEXTMONTH: 来月
-: の/に
?: 前/まで/から/頃/ごろ/以外/ない/昨日/再来週/おき/明々後日
every weekday: 平日
every monday to friday: 月曜から金曜/月曜日から金曜日
and: と/、/および
every weekday: 毎平日
EVERYMONTH: 毎月
monday: (月)
tuesday: (火)
wednesday: (水)
thursday: (木)
friday: (金)
saturday: (土)
sunday: (日)
31 december: 大晦日
1 january: 元日/元旦
24 december: クリスマスイブ
-: ちょうど/ぴったり/きっかり
??: 隔
O1: 第一
O2: 第二
O3: 第三
last: 最終
?: 過ぎ/以降/約/次の/または/か/だけ/ぐらい/くらい/以内/すぎ
HOLIDAY: クリスマス/正月/お正月/お盆/節分/七夕/ひな祭り/こどもの日/成人の日/母の日/父の日/敬老の日/勤労感謝の日/文化の日
HOLIDAY: 祝日/春分の日/秋分の日/バレンタイン/ハロウィン/振替休日
"""
_KOREAN = """
today: 오늘
tomorrow: 내일
day after tomorrow: 모레
today evening: 오늘 저녁/오늘 밤/오늘밤
AM: 오전/아침/새벽
PM: 오후
evening: 저녁/밤
noon: 정오/정오에
midnight: 자정/자정에
o'clock: 시/시에
half: 반/반에
minutes: 분/분에
hours: 시간
days: 일
weeks: 주
30 minutes: 반시간
FROMNOW: 후/후에/뒤/뒤에
EACH: 마다
monday: 월요일/월요일에
tuesday: 화요일/화요일에
wednesday: 수요일/수요일에
thursday: 목요일/목요일에
friday: 금요일/금요일에
saturday: 토요일/토요일에
sunday: 일요일/일요일에
every day: 매일
every morning: 매일 아침/매일아침
every evening: 매일 저녁/매일 밤
every: 매주
MONTH: 월
DAY: 일/일에
1: 한
2: 두
3: 세
4: 네
5: 다섯
6: 여섯
7: 일곱
8: 여덟
9: 아홉
10: 열
11: 열한
12: 열두
?: 전/전에/까지/부터/쯤/정도/말고/어제
and: 와/과/하고
every weekday: 평일/평일에/평일마다
EVERYMONTH: 매월/매달
-: 정각/정각에
next week: 다음주/다음 주
?: 다음/지난/이번/저번/마지막
1 o'clock: 한시/한시에
1 hours: 한시간
2 o'clock: 두시/두시에
2 hours: 두시간
3 o'clock: 세시/세시에
3 hours: 세시간
4 o'clock: 네시/네시에
4 hours: 네시간
5 o'clock: 다섯시/다섯시에
5 hours: 다섯시간
6 o'clock: 여섯시/여섯시에
6 hours: 여섯시간
7 o'clock: 일곱시/일곱시에
7 hours: 일곱시간
8 o'clock: 여덟시/여덟시에
8 hours: 여덟시간
9 o'clock: 아홉시/아홉시에
9 hours: 아홉시간
10 o'clock: 열시/열시에
10 hours: 열시간
11 o'clock: 열한시/열한시에
11 hours: 열한시간
12 o'clock: 열두시/열두시에
12 hours: 열두시간
monday and: 월요일과/월요일하고
tuesday and: 화요일과/화요일하고
wednesday and: 수요일과/수요일하고
thursday and: 목요일과/목요일하고
friday and: 금요일과/금요일하고
saturday and: 토요일과/토요일하고
sunday and: 일요일과/일요일하고
?: 격주/격주로/격일/이틀/사흘/걸러/건너/홀수/짝수/첫째/둘째/셋째/넷째
?: 또는/이나/이후/이내/약/만
HOLIDAY: 설날/설/추석/크리스마스/크리스마스이브/성탄절/단오/어린이날/어버이날/광복절/개천절/한글날/현충일/공휴일
HOLIDAY: 발렌타인데이/설날에/추석에/크리스마스에/어린이날에/한글날에
"""
_TURKISH = """
today: bugün
tomorrow: yarın
day after tomorrow: öbür gün
this morning: bu sabah
this evening: bu akşam
tonight: bu gece
tomorrow morning: yarın sabah
tomorrow evening: yarın akşam
at: saat
morning: sabah
evening: akşam
noon: öğlen/öğle/öğleyin
midnight: gece yarısı
minutes: dakika
HOUR: saat
days: gün
weeks: hafta
months: ay
30 minutes: yarım saat
90 minutes: bir buçuk saat
half: buçuk/buçukta
FROMNOW: sonra/içinde
monday: pazartesi/pazartesi günü
tuesday: salı/salı günü
wednesday: çarşamba/çarşamba günü
thursday: perşembe/perşembe günü
friday: cuma/cuma günü
saturday: cumartesi/cumartesi günü
sunday: pazar/pazar günü
every: her
every day: her gün
every morning: her sabah
every evening: her akşam
january: ocak/ocak'ta
february: şubat/şubat'ta
march: mart/mart'ta
april: nisan/nisan'da
may: mayıs/mayıs'ta
june: haziran/haziran'da
july: temmuz/temmuz'da
august: ağustos/ağustos'ta
september: eylül/eylül'de
october: ekim/ekim'de
november: kasım/kasım'da
december: aralık/aralık'ta
1: bir
2: iki/ikide
3: üç/üçte
4: dört/dörtte
5: beş/beşte
6: altı/altıda
7: yedi/yedide
8: sekiz/sekizde
9: dokuz/dokuzda
10: on/onda
11: on bir
12: on iki
13: on üç/on üçte
14: on dört/on dörtte
15: on beş/on beşte
16: on altı/on altıda
17: on yedi/on yedide
18: on sekiz/on sekizde
19: on dokuz/on dokuzda
-: ' da/' de/' ta/' te
?: önce/kadar/beri/civarı/hariç/dün/değil/doğru
and: ve
every weekday: hafta içi her gün/her iş günü/hafta içi
every month: her ay
next week: gelecek hafta/önümüzdeki hafta
?: gelecek/önümüzdeki/haftaya/geçen/son/kez/defa
?: haftada bir/günde bir/aşırı/ikinci/üçüncü/çift/tek
?: veya/ya da/sonrası/tam/yaklaşık/sadece/erken/geç
T20: yirmi
T30: otuz
T40: kırk
T50: elli
evening: akşamı/akşamları
morning: sabahı/sabahları
noon: öğlende
HOLIDAY: bayram/bayramda/ramazan/ramazan bayramı/ramazan bayramında
HOLIDAY: kurban bayramı/kurban bayramında/yılbaşı/yılbaşında/noel
HOLIDAY: noelde/kandil/nevruz/anneler günü/babalar günü/sevgililer günü
"""
_DANISH = """
in: om
at: klokken/kl/kl ./ved
on: på/den
a: en/et/én/ét/ei
today: i dag/idag
tomorrow: i morgen/imorgen
day after tomorrow: i overmorgen/overmorgen
this morning: i morges/i dag tidlig/i formiddag
this afternoon: i eftermiddag/i ettermiddag
this evening: i aften/i kveld
tonight: i nat/i natt
tomorrow morning: i morgen tidlig/i morgen formiddag
tomorrow evening: i morgen aften/i morgen kveld
morning: morgen/om morgenen/om formiddagen/formiddag
afternoon: om eftermiddagen/eftermiddag/om ettermiddagen/ettermiddag
evening: om aftenen/aften/om kvelden/kveld
night: om natten/nat/natt
minutes: minut/minutter/minutt/min
hours: time/timer
days: dag/dage/dager
weeks: uge/uger/uke/uker
months: måned/måneder
years: år
30 minutes: en halv time/halv time
15 minutes: et kvarter/kvarter
45 minutes: tre kvarter
90 minutes: halvanden time
noon: middag/kl . 12 middag
midnight: midnat/midnatt
halb: halv
quarter: kvart/kvarter
past: over
to: i/til
monday: mandag
tuesday: tirsdag
wednesday: onsdag
thursday: torsdag
friday: fredag
saturday: lørdag
sunday: søndag
every: hver/hvert/alle
every day: hver dag/dagligt/daglig
every 2 days: hver anden dag/annenhver dag
every 2 weeks: hver anden uge/annenhver uke
every weekday: hver hverdag/på hverdage/alle hverdage/på hverdager
every monday to friday: mandag til fredag
and: og
january: januar
february: februar
march: marts/mars
april: april
may: maj/mai
june: juni
july: juli
august: august
september: september
october: oktober
november: november
december: december/desember
next week: næste uge/neste uke/i næste uge
next: næste/neste
this: denne/dette
2: to
3: tre
4: fire
5: fem
6: seks
7: syv/sju
8: otte/åtte
9: ni
10: ti
11: elleve/elve
12: tolv
13: tretten
14: fjorten
15: femten
16: seksten
17: sytten
18: atten
19: nitten
T20: tyve/tjue
T30: tredive/tretti
T40: fyrre/førti
T50: halvtreds/femti
first: første
O2: anden
third: tredje
fourth: fjerde
last: sidste/siste
?: før/inden/efter/etter/indtil/fra/siden/omkring/rundt/cirka/ca/undtagen/unntatt/ikke/uden/uten/mellem/mellom/senest
every other: hver anden/annenhver
and a half HOUR: og en halv time
24 december: juleaften/julaften
31 december: nytårsaften/nyttårsaften
?: slutningen/begyndelsen/eller/præcis/kun/bare/gange/gang/igen/i går/i forgårs/sidst/tidligst/muligt/senere/skarpt
HOLIDAY: jul/juledag/første juledag/anden juledag/påske/påskedag/langfredag/skærtorsdag/skjærtorsdag/pinse/pinsedag
HOLIDAY: kristi himmelfart/nytår/nyttår/sankthans/sankt hans/fastelavn/grundlovsdag/helligdag/mors dag/fars dag
"""
_FINNISH = """
at: klo/kello/kl .
today: tänään
tomorrow: huomenna
day after tomorrow: ylihuomenna
this morning: tänä aamuna
this afternoon: tänä iltapäivänä
this evening: tänä iltana/tänään illalla
tonight: tänä yönä/ensi yönä
tomorrow morning: huomenaamulla/huomisaamuna/huomenna aamulla
tomorrow evening: huomisiltana/huomenillalla/huomenna illalla
morning: aamulla/aamuisin/aamupäivällä
afternoon: iltapäivällä
evening: illalla
night: yöllä
minutes: minuutin/minuuttia/min
hours: tunnin/tuntia/tunti
days: päivän/päivää
weeks: viikon/viikkoa
months: kuukauden/kuukautta
years: vuoden/vuotta
30 minutes: puolen tunnin/puoli tuntia
15 minutes: vartin/varttitunnin
90 minutes: puolentoista tunnin/puolitoista tuntia
FROMNOW: päästä/kuluttua
EACH: välein
noon: keskipäivällä/puoliltapäivin
midnight: keskiyöllä
halb: puoli
monday: maanantaina/maanantai
tuesday: tiistaina/tiistai
wednesday: keskiviikkona/keskiviikko
thursday: torstaina/torstai
friday: perjantaina/perjantai
saturday: lauantaina/lauantai
sunday: sunnuntaina/sunnuntai
mondays: maanantaisin
tuesdays: tiistaisin
wednesdays: keskiviikkoisin
thursdays: torstaisin
fridays: perjantaisin
saturdays: lauantaisin
sundays: sunnuntaisin
every: joka
every day: joka päivä/päivittäin
every morning: joka aamu
every evening: joka ilta
every weekday: arkisin/joka arkipäivä/arkipäivisin
january: tammikuuta/tammikuun
february: helmikuuta/helmikuun
march: maaliskuuta/maaliskuun
april: huhtikuuta/huhtikuun
may: toukokuuta/toukokuun
june: kesäkuuta/kesäkuun
july: heinäkuuta/heinäkuun
august: elokuuta/elokuun
september: syyskuuta/syyskuun
october: lokakuuta/lokakuun
november: marraskuuta/marraskuun
december: joulukuuta/joulukuun
next week: ensi viikon/ensi viikolla
next: ensi
this: tänä
and: ja
1: yksi/yhden/yhdeltä
2: kaksi/kahden/kahdelta
3: kolme/kolmen/kolmelta
4: neljä/neljän/neljältä
5: viisi/viiden/viideltä
6: kuusi/kuuden/kuudelta
7: seitsemän/seitsemältä
8: kahdeksan/kahdeksalta
9: yhdeksän/yhdeksältä
10: kymmenen/kymmeneltä
11: yksitoista/yhdeltätoista
12: kaksitoista/kahdeltatoista
15: viisitoista/viidentoista
T20: kaksikymmentä/kahdenkymmenen
T30: kolmekymmentä/kolmenkymmenen
T40: neljäkymmentä/neljänkymmenen
T50: viisikymmentä/viidenkymmenen
?: ennen/jälkeen/asti/mennessä/alkaen/noin/paitsi/ei/välillä/viimeistään/eilen/vain/tai/kertaa/viime/sitten/tasan
every other: joka toinen
and a half HOUR: ja puoli tuntia/ja puolen tunnin
24 december: jouluaattona
31 december: uudenvuodenaattona
?: vaille/yli/toinen/kolmas/ensimmäinen/viimeinen/alussa/lopussa/aikaisintaan/myöhemmin
HOLIDAY: joulu/jouluna/joulupäivänä/tapaninpäivänä
HOLIDAY: pääsiäinen/pääsiäisenä/pitkäperjantai/pitkäperjantaina/kiirastorstaina
HOLIDAY: juhannus/juhannuksena/juhannusaattona/vappu/vappuna/loppiainen/loppiaisena/helatorstai/helatorstaina
HOLIDAY: itsenäisyyspäivä/itsenäisyyspäivänä/uutenavuotena/pyhäinpäivänä/äitienpäivänä/isänpäivänä/laskiaisena
"""
_CZECH = """
in: za
at: v/ve/o
on: na/dne
and: a/i
today: dnes/dneska
tomorrow: zítra
day after tomorrow: pozítří
this morning: dnes ráno/dneska ráno/dnes dopoledne
this afternoon: dnes odpoledne
this evening: dnes večer/dneska večer
tonight: dnes v noci
tomorrow morning: zítra ráno/zítra dopoledne
tomorrow evening: zítra večer
morning: ráno/dopoledne
afternoon: odpoledne
evening: večer
SMALL: v noci
minutes: minutu/minuty/minut/min
HOUR: hodinu/hodiny/hodin/hod
days: den/dny/dní/dnů
weeks: týden/týdny/týdnů
months: měsíc/měsíce/měsíců
years: rok/roky/let
30 minutes: půl hodiny/půlhodinu/půl hodinu
15 minutes: čtvrt hodiny/čtvrthodinu
45 minutes: tři čtvrtě hodiny
90 minutes: půldruhé hodiny/hodinu a půl
noon: poledne/v poledne
midnight: půlnoc/o půlnoci/půlnoci
monday: pondělí
tuesday: úterý
wednesday: středa/středu
thursday: čtvrtek
friday: pátek
saturday: sobota/sobotu
sunday: neděle/neděli
every: každý/každou/každé/každá/každých
every day: každý den/denně
every morning: každé ráno
every evening: každý večer
every weekday: každý pracovní den/ve všední dny/všední dny
every monday to friday: od pondělí do pátku
january: ledna
february: února
march: března
april: dubna
may: května
june: června
july: července
august: srpna
september: září
october: října
november: listopadu
december: prosince
next week: příští týden
this: tento/tuto/toto/tuhle
a: jednu/jeden
1: jedna/jedné
2: dva/dvě
3: tři
4: čtyři
5: pět
6: šest
7: sedm
8: osm
9: devět
10: deset
11: jedenáct
12: dvanáct
15: patnáct
20: dvacet
30: třicet
45: čtyřicet pět
T40: čtyřicet
halb 1: půl jedné
halb 2: půl druhé
halb 3: půl třetí
halb 4: půl čtvrté
halb 5: půl páté
halb 6: půl šesté
halb 7: půl sedmé
halb 8: půl osmé
halb 9: půl deváté
halb 10: půl desáté
halb 11: půl jedenácté
halb 12: půl dvanácté
?: před/po/do/od/kolem/asi/kromě/ne/mezi/nejpozději/včera/nebo/přesně/jen/krát/konce/konec/začátku/příští/minulý/minulou
and a half HOUR: a půl hodiny
24 december: štědrý den
31 december: silvestra
?: každý druhý/každou druhou/obden/ob/jindy/později/zhruba/vždy/čtvrt/třičtvrtě/tři čtvrtě
HOLIDAY: vánoce/vánocích/na vánoce/velikonoce/velikonocích/na velikonoce/velký pátek/na velký pátek/velikonoční pondělí
HOLIDAY: zelený čtvrtek/silvestr/nový rok/dušičky/na dušičky/mikuláš/na mikuláše/svátek/o svátku/den matek
"""
VOCABULARIES = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "pt": _PORTUGUESE,
    "nl": _DUTCH,
    "sv": _SWEDISH,
    "pl": _POLISH,
    "ru": _RUSSIAN,
    "uk": _UKRAINIAN,
    "ja": _JAPANESE,
    "zh": _CHINESE,
    "ko": _KOREAN,
    "tr": _TURKISH,
    "da": _DANISH,
    "fi": _FINNISH,
    "cs": _CZECH,
}
# What a person is told: “I will remind you”, “then”, “No reminder is set”, “or”, and “I do not understand this time;
# write, for example, …”.
ANSWERS = {
    "en": ("I will remind you", "then", "No reminder is set", "or", ""),
    "de": ("Ich erinnere dich", "dann", "Es ist keine Erinnerung gesetzt", "oder",
           "Ich verstehe diese Zeit nicht; schreib zum Beispiel „morgen um 15:00: …“"),
    "fr": ("Je te le rappellerai", "puis", "Aucun rappel n'est créé", "ou",
           "je ne comprends pas cette heure ; écris par exemple « demain à 15:00: … »"),
    "es": ("Te lo recordaré", "después", "No hay ningún recordatorio", "o",
           "no entiendo esta hora; escribe por ejemplo «mañana a las 15:00: …»"),
    "it": ("Te lo ricorderò", "poi", "Nessun promemoria è impostato", "o",
           "non capisco questo orario; scrivi per esempio «domani alle 15:00: …»"),
    "pt": ("Vou lembrar-te", "depois", "Nenhum lembrete foi criado", "ou",
           "não entendo esta hora; escreve por exemplo «amanhã às 15:00: …»"),
    "nl": ("Ik herinner je eraan", "daarna", "Er is geen herinnering gezet", "of",
           "ik begrijp deze tijd niet; schrijf bijvoorbeeld “morgen om 15:00: …”"),
    "sv": ("Jag påminner dig", "sedan", "Ingen påminnelse är satt", "eller",
           "jag förstår inte tiden; skriv till exempel ”imorgon klockan 15:00: …”"),
    "pl": ("Przypomnę ci", "potem", "Nie ustawiono przypomnienia", "czy",
           "nie rozumiem tego czasu; napisz na przykład „jutro o 15:00: …”"),
    "ru": ("Я напомню", "потом", "Напоминание не создано", "или",
           "я не понимаю это время; напиши, например, «завтра в 15:00: …»"),
    "uk": ("Я нагадаю", "потім", "Нагадування не створено", "або",
           "я не розумію цей час; напиши, наприклад, «завтра о 15:00: …»"),
    "zh": ("我会提醒你", "然后", "没有设置提醒", "还是", "我不明白这个时间；例如请写“明天15:00: …”"),
    "ja": ("お知らせします", "その次", "リマインダーは設定されていません", "それとも",
           "この時刻がわかりません。例えば「明日15:00: …」と書いてください"),
    "ko": ("알려 드릴게요", "그다음", "알림이 설정되지 않았습니다", "또는",
           "이 시간을 이해하지 못했습니다. 예: “내일 15:00: …”"),
    "tr": ("Sana hatırlatacağım", "sonra", "Hatırlatıcı kurulmadı", "yoksa",
           "bu zamanı anlamadım; örneğin “yarın saat 15:00: …” yaz"),
    "da": ("Jeg minder dig om det", "derefter", "Der er ikke sat nogen påmindelse", "eller",
           "jeg forstår ikke tiden; skriv for eksempel ”i morgen klokken 15:00: …”"),
    "fi": ("Muistutan sinua", "sitten", "Muistutusta ei ole asetettu", "vai",
           "en ymmärrä tätä aikaa; kirjoita esimerkiksi ”huomenna klo 15:00: …”"),
    "cs": ("Připomenu ti to", "potom", "Žádné připomenutí není nastaveno", "nebo",
           "tomuto času nerozumím; napiš například „zítra v 15:00: …“"),
}  # fmt: skip
# Days in languages that are not read: with one of these in a sentence no other time of it is taken.
UNREAD_DAYS = """
tirsdag lørdag søndag imorgen kveld aften
maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai maanantaina tiistaina keskiviikkona torstaina
perjantaina lauantaina sunnuntaina huomenna ylihuomenna tänään
pondělí úterý středa středu čtvrtek pátek neděle neděli zítra pozítří dnes dneska pondelok utorok streda stredu štvrtok
piatok sobota sobotu nedeľa nedeľu zajtra pozajtra
luni marți miercuri vineri sâmbătă sambata duminică duminica mâine poimâine diseară astăzi
hétfő kedd szerda csütörtök péntek szombat vasárnap hétfőn kedden szerdán csütörtökön pénteken szombaton holnap
holnapután
δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή αύριο μεθαύριο σήμερα
понеделник вторник сряда четвъртък петък събота неделя утре
ponedjeljak ponedeljak utorak srijeda sreda četvrtak petak subota subotu nedjelja nedelja sutra prekosutra danas
ponedeljek torek sreda četrtek petek sobota nedelja jutri pojutrišnjem
dilluns dimarts dimecres dijous divendres dissabte diumenge demà avui
senin selasa rabu kamis jumat sabtu minggu besok lusa
חמישי שישי שבת ראשון מחר מחרתיים היום الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد غدا غداً اليوم
homme ülehomme rīt parīt rytoj poryt bihar yfory amárach môre oormôre bukas kesho esok فردا پس‌فردا کل আগামীকাল พรุ่งนี้
सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार कल परसों
"""
