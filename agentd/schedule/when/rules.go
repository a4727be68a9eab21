package when

import (
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/lazyre"
)

// parts are what was found in a phrase.
type parts struct {
	zone *time.Location
	now  time.Time
	wall time.Time // of now
	text string    // what is left
	err  error

	every    int    // it comes again every so many units; 0: once
	unit     string // minute, hour, day, week, month or year
	days     []time.Weekday
	nth      int  // which of these weekdays in the month; -1: the last
	monthDay int  // -1: the last
	month    int  // with monthDay
	year     int  // with month
	swapped  bool // day and month could be the other way round
	offset   *int // days from today
	which    string

	elapsed          time.Duration // from now
	plusDays, plusMo int           // from now, by the calendar
	relative         bool

	hour, minute int
	times        int    // how many times of day were named
	part         string // of the day
	ask          string // what is in doubt about the time of day
	other        [2]int // hour and minute that could be meant instead, with ask
}

type rule struct {
	form *lazyre.Regexp
	take func(p *parts, m []string)
}

const (
	weekdays = `(mondays?|mon|montags?|tuesdays?|tues?|dienstags?|` +
		`wednesdays?|wed|mittwochs?|thursdays?|thur?s?|donnerstags?|fridays?|fri|` +
		`freitags?|saturdays?|sat|samstags?|sonnabends?|sundays?|sun|sonntags?)`
	monthNames = `(january|januar|jan|jaenner|february|februar|feb|feber|march|mar|maerz|april|apr|may|mai|june|juni|jun|july|juli|jul|` +
		`august|aug|september|sept|sep|october|oktober|oct|okt|november|nov|december|dezember|dec|dez)`
	units = `(seconds?|secs?|sekunden?|minutes?|mins?|minuten?|hours?|hrs?|h|stunden?|std|days?|tage?n?|weeks?|wochen?|months?|monate?n?|` +
		`years?|jahre?n?)`
	dayParts = `(early morning|morning|morgens?|frueh|vormittags?|forenoon|noon|mittags?|` +
		`afternoon|nachmittags?|evening|abends?|night|nachts?)`
	number = `(\d{1,5}(?:[.,]\d)?|an?|eine[rmns]?|ein)`
)

func on(form string, take func(p *parts, m []string)) rule {
	return rule{lazyre.MustCompile(form), take}
}

// rules are tried in this order, each as often as it fits.
var rules = []rule{
	// How far from now.
	on(`\b(?:in|nach) (?:half an hour|a half hour|einer halben stunde|ner halben stunde)\b`, (*parts).halfHour),
	on(`\bin (?:a quarter of an hour|einer viertelstunde)\b`, (*parts).quarterHour),
	on(`\bin (?:einer )?(?:3 ?viertelstunden?|dreiviertelstunde)\b`, (*parts).threeQuarters),
	on(`\bin (?:an hour and a half|1 and a half hours|anderthalb stunden|eineinhalb stunden)\b`, (*parts).hourAndHalf),
	on(`\bin (?:a fortnight|14 tagen)\b`, (*parts).fortnight),
	on(`\b(?:in|nach) `+number+` ?`+units+`(?: (?:and|und)? ?`+number+` ?`+units+`)?\b`, (*parts).fromNow),
	on(number+` `+units+`() ?() from now\b`, (*parts).fromNow),

	// How often.
	on(`\b(?:every|each|jede[nrms]?|alle) (?:quarter|quartal)\b`, (*parts).notSupported),
	on(`\b(?:every|each|jede[nrms]?|alle) (?:(\d{1,4})\.? )?`+units+`\b`, (*parts).everyUnit),
	on(`\b(?:every|each|jede[nrms]?) (?:weekday|working day|work day|workday|werktag|arbeitstag|wochentag)\b`, (*parts).everyWeekday),
	on(`\b(?:on )?(?:weekdays|workdays|working days|werktags|wochentags|an werktagen)\b`, (*parts).everyWeekday),
	on(`\b(?:every|each|jedes) (?:weekend|wochenende)\b|\b(?:at |on )?weekends\b|\ban? wochenenden\b`, (*parts).everyWeekend),
	on(`\b(?:every|each|jede[nr]?) (?:(\d|last)\.? )?`+weekdays+`\b`, (*parts).everyDayOfWeek),
	on(`\b(?:every|each|jede[nrms]?) `+dayParts+`\b`, (*parts).everyPart),
	on(`\b(hourly|stuendlich|daily|taeglich|weekly|woechentlich|fortnightly|`+
		`vierzehntaegig|14-taegig|monthly|monatlich|yearly|annually|jaehrlich)\b`,
		(*parts).adverb),
	on(`\b(?:of|in) (?:every|each|the|a) month\b|\b(?:im|des|eines|jedes|jeden) monats?\b`, (*parts).ofMonth),
	on(`\b(?:last day|letzter tag|last tag|monatsletzten|monatsende|end of the month)\b`, (*parts).lastDay),
	on(`\b(\d|last)\.? `+weekdays+`\b`, (*parts).nthDay),
	on(`\b(mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|`+
		`montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonnabends|sonntags)\b`,
		(*parts).everyNamed),

	// Which day.
	on(`\b(?:yesterday|gestern|vorgestern)\b`, (*parts).past),
	on(`\b(?:(?:the )?day after tomorrow|uebermorgen)\b`, func(p *parts, _ []string) { p.onDay(2) }),
	on(`\b(?:tomorrow|tmrw|tmr)\b`, func(p *parts, _ []string) { p.onDay(1) }),
	on(`\b(?:heute|today|this) `+dayParts+`\b`, (*parts).todayPart),
	on(`\b(?:tonight|heute nacht)\b`, (*parts).tonight),
	on(`\b(?:today|heute)\b`, func(p *parts, _ []string) { p.onDay(0) }),
	on(`\b(next|this|coming|upcoming|naechste[nrs]?|kommende[nrs]?|diese[nrs]?) `+weekdays+`\b`, (*parts).whichDay),
	on(`\b`+weekdays+` (?:in )?(next week|naechste[rn]? woche|week|in einer woche)\b`, (*parts).dayNextWeek),
	on(`\b(?:next week|naechste woche|in der naechsten woche)(?: on| am)? `+weekdays+`\b`, (*parts).nextWeekDay),
	on(`\b(next|this|naechste[nrs]?|diese[nrs]?) (?:week|woche|month|monat|year|jahr)\b`, (*parts).whichWeek),
	on(`\b`+weekdays+` (morgen|frueh)\b`, (*parts).weekdayMorning),
	on(`\b`+weekdays+`(vormittag|mittag|nachmittag|abend|nacht|frueh)\b`, (*parts).weekdayMorning),
	on(`\b`+weekdays+`\b`, (*parts).dayOfWeek),
	on(`\bam (morgen)\b`, (*parts).dayPart),
	on(`\bmorgen `+dayParts+`\b`, func(p *parts, m []string) { p.onDay(1); p.dayPart(m) }),
	on(`\bmorgen\b`, func(p *parts, _ []string) { p.onDay(1) }),
	on(`\b(\d{4})-(\d{1,2})-(\d{1,2})(?:t|\b)`, (*parts).isoDate),
	on(`\b(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d{2}))?\b`, (*parts).slashDate),
	on(`\b(\d{1,2})\. ?(\d{1,2})\. ?(\d{4}|\d{2}\b)?`, (*parts).dotDate),
	on(`\b(\d{1,2})\.?(?: of)? `+monthNames+`(?: (\d{4}))?\b`, (*parts).namedDate),
	on(`\b`+monthNames+` (?:the )?(\d{1,2})\b\.?(?: (\d{4}))?`,
		func(p *parts, m []string) { p.namedDate([]string{"", m[2], m[1], m[3]}) }),

	// What time.
	on(`\b(?:half past|halb nach) (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[1], 30, 0) }),
	on(`\bhalf (\d{1,2})\b`, (*parts).halfDoubt),
	on(`\bhalb (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[1], 30, -1) }),
	on(`\b(?:a )?(?:quarter past|viertel nach|viertel ueber) (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[1], 15, 0) }),
	on(`\b(?:a )?(?:quarter to|viertel vor|dreiviertel) (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[1], 45, -1) }),
	on(`\bviertel (\d{1,2})\b`, (*parts).quarterDoubt),
	on(`\b(\d{1,2}) (?:minutes? )?(?:past|nach) (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[2], atoi(m[1]), 0) }),
	on(`\b(\d{1,2}) (?:minutes? )?(?:to|vor) (\d{1,2})\b`, func(p *parts, m []string) { p.clock(m[2], 60-atoi(m[1]), -1) }),
	on(`\b(\d{1,2})(?:[:.](\d{2}))? ?(ante|pm)\b`, (*parts).meridian),
	on(`\b(\d{1,2})(?:[:.](\d{2}))?am\b()`, func(p *parts, m []string) { p.meridian([]string{"", m[1], m[2], "ante"}) }),
	on(`\b(\d{1,2}) am\b( \| | (?:on|today|tomorrow)|\s*$)`, func(p *parts, m []string) { p.meridian([]string{"", m[1], "", "ante"}) }),
	on(`\b(\d{1,2}):(\d{2}) am\b()`, func(p *parts, m []string) { p.meridian([]string{"", m[1], m[2], "ante"}) }),
	on(`\b(\d{1,2}):(\d{2})(?::00)?(?: (?:uhr|oclock|h))?\b`, (*parts).clockTime),
	on(`\b(\d{1,2})\.(\d{2})(?: uhr)?\b`, (*parts).clockTime),
	on(`\b(\d{1,2}) uhr (\d{1,2})\b`, (*parts).clockTime),
	on(`\b(\d{1,2}) ?(?:uhr|oclock|h)\b()`, (*parts).clockTime),
	on(`\b(?:at|um|gegen|around|about|by|ab) (\d{1,2})()(?: |$)`, (*parts).clockTime),
	on(`\b(?:midnight|mitternacht)\b`, (*parts).midnight),
	on(`\b(?:in the |am |in der |at )?`+dayParts+`\b`, (*parts).dayPart),
	on(`\b(\d{1,2})\.(?: |$)`, (*parts).dayOfMonth),
	on(`\b(?:on )?the (\d{1,2})\b`, (*parts).dayOfMonth),
	on(`(?:^|\|) *(\d{1,2})() *(?:\||$)`, (*parts).clockTime),
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the rules take digits; nothing is 0
	return n
}

// weekday finds a day of the week by its name.
func weekday(name string) time.Weekday {
	for i, starts := range []string{"su so", "mo", "tu di", "we mi", "th do", "fr", "sa"} {
		for _, s := range strings.Fields(starts) {
			if strings.HasPrefix(name, s) && name != "sonnabend" && name != "sonnabends" {
				return time.Weekday(i)
			}
		}
	}
	return time.Saturday
}

// monthOf finds a month by its name.
func monthOf(name string) int {
	names := []string{"jan jae", "feb", "mar mae", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez"}
	for i, starts := range names {
		for _, s := range strings.Fields(starts) {
			if strings.HasPrefix(name, s) {
				return i + 1
			}
		}
	}
	return 0
}

// unitOf finds a unit by its name.
func unitOf(name string) string {
	for _, u := range [][2]string{
		{"sec", "second"},
		{"sek", "second"},
		{"mon", "month"},
		{"min", "minute"},
		{"h", "hour"},
		{"st", "hour"},
		{"d", "day"},
		{"ta", "day"},
		{"w", "week"},
		{"y", "year"},
		{"j", "year"},
	} {
		if strings.HasPrefix(name, u[0]) {
			return u[1]
		}
	}
	return ""
}
