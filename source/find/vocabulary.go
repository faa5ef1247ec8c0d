package find

import (
	"strings"
	"sync"
)

// functionWords say nothing of what is wanted. They are neither indexed nor looked for.
var functionWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`
a about after again against also although am an and any anyone anything are aren as at be because been before being
both but by can cannot could couldn did didn do does doesn doing don done during each either else etc ever every few
for from further had has have having he her here hers herself him himself his how however i if in into is isn it its
itself just ll let lets may me might mine more most much must my myself neither no nor not now of off on once only or
other our ours ourselves out over own per please rather re same shall she should so some such than thank thanks that
the their theirs them themselves then there these they this those though through thus to too under until up upon us
ve very via was wasn we were weren what whatever when where whether which while who whom whose why will with within
without won would wouldn yes yet you your yours yourself`)
})

// softWords stand in requests of all kinds; where a catalog uses one as a verb it still counts a little.
var softWords = sync.OnceValue(func() map[string]bool {
	soft := map[string]bool{}
	for word := range wordSet(`
ask check curious describe display explain fetch find get give help hello hey hi hope interested know like look looking
love kindly need obtain plan planning provide recommend return retrieve see show suggest tell try trying understand use
using wanna want wish wonder information info details detail able going currently specific various well good great
also additionally okay ok sure possible quickly really thing things something someone anybody people way make`) {
		soft[stem(word)] = true
	}
	return soft
})

// synonymLists hold words of the same meaning in descriptions of software, a list a line. They are
// general vocabulary: no line may be written from the queries of a benchmark.
const synonymLists = `
create add new insert register make generate provision
delete remove destroy erase drop purge discard
update edit modify change alter patch amend revise
replace overwrite put substitute
list enumerate browse all
get fetch retrieve read view load obtain
search find query lookup locate discover
send deliver dispatch transmit
start begin launch run execute trigger initiate boot
stop halt terminate kill abort end shutdown
cancel abort revoke withdraw
enable activate turn switch unblock
disable deactivate suspend block mute
pause suspend hold freeze
resume continue unpause restart
restart reboot reload
copy duplicate clone replicate
move relocate transfer migrate
rename retitle relabel
merge combine join unify
split divide separate partition
compare diff difference contrast
convert transform translate encode parse
export download dump save
import upload ingest load
upload attach
backup snapshot archive
restore recover undelete rollback revert undo
publish release deploy ship
install setup deploy
uninstall unregister
verify validate check confirm test
approve accept allow grant permit authorize
reject deny decline refuse
assign delegate allocate
invite add
login signin authenticate logon
logout signout
password secret credential passphrase
token key credential
permission right privilege access scope
role group
user member account person people profile
team group squad crew
organization org company workspace tenant
customer client buyer
employee staff worker
folder directory
file document attachment
path location
picture image photo
video clip movie film
audio sound music song track
email mail
message text sms chat post
channel room
comment reply remark note annotation
notification alert reminder
alert alarm incident
incident outage
issue ticket bug task
task todo job
schedule calendar timetable
meeting appointment event
repository repo
branch fork
commit revision changeset
history log changelog timeline
log trace record
metric measurement stat statistic
report summary overview
dashboard board panel
chart graph plot
table sheet spreadsheet
row record entry
column field attribute property
database db datastore
schema structure definition
server host machine instance vm
container pod
cluster fleet
network vpc
website site webpage page url link
address location place
country nation region
city town
route direction itinerary
distance far length
weather forecast temperature climate
price cost fee rate charge quote
payment charge transaction
invoice bill
refund reimburse repay
purchase buy order
sell sale
product item goods
cart basket
discount coupon promotion
subscription plan
stock share equity
currency money
flight airline plane
hotel accommodation lodging
trip travel journey
restaurant dining
recipe dish meal
news article headline
story article
book title
author writer
language locale
translate translation
dictionary definition meaning
word term
tag label category
status state condition
health alive
size length dimension
count number total amount
limit quota cap
average mean
maximum max highest
minimum min lowest
first earliest
last latest recent newest
random arbitrary
duration time length
date day
weight mass
speed velocity
area surface
probability chance odds
compute calculate determine
estimate predict forecast
analyze inspect examine analyse
monitor watch observe track
configuration config setting option preference
variable parameter argument
environment env
version release revision
error failure fault exception
retry repeat rerun
encrypt cipher
hash digest checksum
compress zip
decompress unzip extract
sort order rank
filter narrow
random shuffle
team league club
match game fixture
player athlete
score result
job vacancy career position
vehicle car automobile
doctor physician
medicine drug medication
disease illness condition
exercise workout
school university college
course class lesson
student pupil learner
teacher instructor tutor
`

// synonyms leads from a stem to the stems of the same meaning.
var synonyms = sync.OnceValue(func() map[string][]string {
	near := map[string][]string{}
	for line := range strings.Lines(synonymLists) {
		words := strings.Fields(line)
		for _, word := range words {
			for _, other := range words {
				if a, b := stem(word), stem(other); a != b {
					near[a] = append(near[a], b)
				}
			}
		}
	}
	return near
})
