package when

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

func (p *parts) fail(text string) {
	if p.err == nil {
		p.err = phraseError(text)
	}
}

// onDay sets the day, as so many days from today.
func (p *parts) onDay(days int) {
	if p.offset != nil && *p.offset != days {
		p.fail("Two different days are named. Name one.")
	}
	p.offset = &days
}

// How far from now.

func (p *parts) after(d time.Duration) { p.elapsed, p.relative = p.elapsed+d, true }

func (p *parts) halfHour([]string)      { p.after(30 * time.Minute) }
func (p *parts) quarterHour([]string)   { p.after(15 * time.Minute) }
func (p *parts) threeQuarters([]string) { p.after(45 * time.Minute) }
func (p *parts) hourAndHalf([]string)   { p.after(90 * time.Minute) }
func (p *parts) fortnight([]string)     { p.plusDays, p.relative = 14, true }

func (p *parts) fromNow(m []string) {
	p.span(m[1], m[2])
	if m[3] != "" {
		p.span(m[3], m[4])
	}
}

// span adds one number of units.
func (p *parts) span(text, unit string) {
	n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil {
		n = 1 // a, an, ein, eine
	}
	p.relative = true
	whole := int(n)
	switch u := unitOf(unit); u {
	case "second", "minute", "hour":
		p.after(time.Duration(n * float64(map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour}[u])))
	case "day":
		p.plusDays += whole
	case "week":
		p.plusDays += 7 * whole
	case "month":
		p.plusMo += whole
	default:
		p.plusMo += 12 * whole
	}
	if u := unitOf(unit); float64(whole) != n && (u == "day" || u == "week" || u == "month" || u == "year") {
		p.fail("Half days, weeks and months are not understood. Name a day.")
	}
}

// How often.

func (p *parts) repeat(every int, unit string) {
	if p.every > 0 && (p.every != every || p.unit != unit) {
		p.fail("Two different intervals are named. Name one.")
	}
	p.every, p.unit = every, unit
}

func (p *parts) notSupported([]string) {
	p.fail("Quarters are not understood. Make one schedule a month, or use the five fields 0 9 1 1,4,7,10 *.")
}

func (p *parts) everyUnit(m []string) {
	n := max(atoi(m[1]), 1)
	if unitOf(m[2]) == "second" {
		p.fail("Seconds are too short for a schedule. Use a minute or more.")
	}
	p.repeat(n, unitOf(m[2]))
}

func (p *parts) everyWeekday([]string) {
	p.repeat(1, "week")
	p.days = []time.Weekday{1, 2, 3, 4, 5}
}

func (p *parts) everyWeekend([]string) {
	p.repeat(1, "week")
	p.days = []time.Weekday{6, 0}
}

// everyDayOfWeek is "every Monday", "every second Friday", or with a month "every second Friday of the month".
func (p *parts) everyDayOfWeek(m []string) {
	n := 1
	if m[1] != "" {
		if p.nth = atoi(m[1]); m[1] == "last" {
			p.nth = -1
		}
		if n = p.nth; n != 2 && n != 1 && p.unit == "" {
			p.unit = "month" // only of a month can there be a third one
		}
		if n < 1 {
			n = 1
		}
	}
	p.days = append(p.days, weekday(m[2]))
	if p.unit != "month" {
		p.repeat(n, "week")
		return
	}
	p.every = 1
}

func (p *parts) everyNamed(m []string) {
	p.repeat(1, "week")
	p.days = append(p.days, weekday(m[1]))
}

func (p *parts) everyPart(m []string) {
	p.repeat(1, "day")
	p.dayPart(m)
}

func (p *parts) adverb(m []string) {
	switch w := m[1]; w[0] {
	case 'h', 's':
		p.repeat(1, "hour")
	case 'd', 't':
		p.repeat(1, "day")
	case 'w':
		p.repeat(1, "week")
	case 'f', 'v', '1':
		p.repeat(2, "week")
	case 'm':
		p.repeat(1, "month")
	default:
		p.repeat(1, "year")
	}
}

func (p *parts) ofMonth([]string) { p.every, p.unit = 1, "month" }

func (p *parts) lastDay([]string) {
	p.monthDay = -1
}

func (p *parts) nthDay(m []string) {
	if p.nth = atoi(m[1]); m[1] == "last" {
		p.nth = -1
	}
	p.days = append(p.days, weekday(m[2]))
}

// Which day.

func (p *parts) past([]string) { p.fail("That day has passed.") }

func (p *parts) todayPart(m []string) {
	p.onDay(0)
	p.dayPart(m)
}

func (p *parts) tonight([]string) {
	p.onDay(0)
	p.part = "night"
}

func (p *parts) dayOfWeek(m []string) { p.days = append(p.days, weekday(m[1])) }

func (p *parts) whichDay(m []string) {
	p.which = m[1]
	p.days = append(p.days, weekday(m[2]))
}

func (p *parts) dayNextWeek(m []string) {
	p.days = append(p.days, weekday(m[1]))
	if p.which = "week after"; strings.HasPrefix(m[2], "n") {
		p.which = "of next week"
	}
}

func (p *parts) nextWeekDay(m []string) {
	p.days, p.which = append(p.days, weekday(m[1])), "of next week"
}

func (p *parts) whichWeek([]string) {
	p.ask = "Which day do you mean?"
}

func (p *parts) weekdayMorning(m []string) {
	p.days = append(p.days, weekday(m[1]))
	p.dayPart([]string{"", m[2]})
}

func (p *parts) isoDate(m []string) { p.date(atoi(m[1]), atoi(m[2]), atoi(m[3])) }

// slashDate is month and day, or day and month: nobody knows, except where one is above 12.
func (p *parts) slashDate(m []string) {
	a, b := atoi(m[1]), atoi(m[2])
	switch {
	case a > 12:
		a, b = b, a
	case b <= 12 && a != b:
		p.swapped = true
	}
	p.date(fullYear(m[3]), a, b)
}

func (p *parts) dotDate(m []string) { p.date(fullYear(m[3]), atoi(m[2]), atoi(m[1])) }

func (p *parts) namedDate(m []string) { p.date(atoi(m[3]), monthOf(m[2]), atoi(m[1])) }

func (p *parts) date(year, month, day int) {
	if p.monthDay != 0 && (p.monthDay != day || p.month != month) {
		p.fail("Two different days are named. Name one.")
	}
	p.year, p.month, p.monthDay = year, month, day
	if month < 1 || month > 12 || day < 1 || day > daysIn(2024, month) {
		p.fail(fmt.Sprintf("There is no day %d in month %d.", day, month))
	}
}

func (p *parts) dayOfMonth(m []string) {
	n := atoi(m[1])
	if p.monthDay != 0 || n < 1 || n > 31 {
		p.fail(fmt.Sprintf("“%d.” is no day of a month.", n))
	}
	p.monthDay = n
}

func fullYear(s string) int {
	if n := atoi(s); n > 0 && n < 100 {
		return 2000 + n
	}
	return atoi(s)
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// What time.

// clock sets the time to an hour and a minute, hours later or earlier.
func (p *parts) clock(hour string, minute, plus int) {
	h := atoi(hour)
	if h > 24 || minute > 59 || h == 24 && minute > 0 {
		p.fail(fmt.Sprintf("%d:%02d is no time of the day.", h, minute))
	}
	h = (h + plus + 24) % 24
	if p.times++; p.times > 1 && (p.hour != h || p.minute != minute) {
		p.fail("Two different times are named. Name one.")
	}
	p.hour, p.minute = h, minute
}

func (p *parts) clockTime(m []string) { p.clock(m[1], atoi(m[2]), 0) }

// halfDoubt is "half seven": half past seven for some, half past six for others.
func (p *parts) halfDoubt(m []string) {
	p.clock(m[1], 30, 0)
	p.ask = fmt.Sprintf("Do you mean %d:30 or %d:30?", p.hour, (p.hour+23)%24)
	p.other = [2]int{(p.hour + 23) % 24, 30}
}

// quarterDoubt is "viertel acht": a quarter past seven in some places, and an unfinished "viertel nach acht" in others.
func (p *parts) quarterDoubt(m []string) {
	p.clock(m[1], 15, -1)
	p.ask = fmt.Sprintf("Do you mean %d:15 or %d:15?", p.hour, (p.hour+1)%24)
	p.other = [2]int{(p.hour + 1) % 24, 15}
}

func (p *parts) meridian(m []string) {
	h := atoi(m[1])
	if h < 1 || h > 12 {
		p.fail(fmt.Sprintf("%d %s is no time of the day.", h, map[bool]string{true: "pm", false: "am"}[m[3] == "pm"]))
	}
	if h %= 12; m[3] == "pm" {
		h += 12
	}
	p.clock(strconv.Itoa(h), atoi(m[2]), 0)
}

// midnight ends a day and begins another, so of a day that is named it is in doubt.
func (p *parts) midnight([]string) {
	p.clock("0", 0, 0)
	p.part = "midnight"
}

func (p *parts) dayPart(m []string) {
	part := partOf(m[1])
	if p.part == "morning" && part == "early" || p.part == part {
		return
	}
	if p.part != "" {
		p.fail("Two parts of a day are named. Name one.")
	}
	p.part = part
}

// partOf finds a part of the day by its name.
func partOf(name string) string {
	for _, n := range [][2]string{
		{"early", "early"},
		{"frueh", "early"},
		{"morn", "morning"},
		{"morgen", "morning"},
		{"vor", "forenoon"},
		{"fore", "forenoon"},
		{"noon", "noon"},
		{"mittag", "noon"},
		{"after", "afternoon"},
		{"nachm", "afternoon"},
		{"even", "evening"},
		{"abend", "evening"},
	} {
		if strings.HasPrefix(name, n[0]) {
			return n[1]
		}
	}
	return "night"
}
