package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/agentd/schedule/due"
	"gatehouse/agentd/wire"
)

// usual are the hours that a part of the day stands for when no hour is named; a day without one begins at nine.
var usual = map[string]int{
	"": 9, "early": 8, "morning": 9, "forenoon": 10, "noon": 12, "afternoon": 15, "evening": 18, "night": 20, "midnight": 0,
}

// settleTime puts together hour and part of the day.
func (p *parts) settleTime() error {
	if p.times == 0 {
		p.hour = usual[p.part]
		return nil
	}
	switch p.part {
	case "afternoon", "evening":
		if p.hour < 12 {
			p.hour += 12
		}
	case "night":
		if p.hour >= 6 && p.hour < 12 {
			p.hour += 12
		}
	case "early", "morning", "forenoon":
		if p.hour > 12 {
			return phraseError(fmt.Sprintf("%d:%02d is not in the morning.", p.hour, p.minute))
		}
	}
	return nil
}

func (p *parts) reading() (Reading, error) {
	if err := p.settleTime(); err != nil {
		return Reading{}, err
	}
	switch {
	case p.ask != "" && p.other == [2]int{}:
		return Reading{Ask: p.ask}, nil
	case p.every > 0:
		return p.again()
	}
	r, err := p.once()
	if err != nil || p.ask == "" || r.Ask != "" {
		return r, err
	}
	first := r.Spec
	p.hour, p.minute = p.other[0], p.other[1]
	second, err := p.once()
	return Reading{Kind: wire.ScheduleAt, Ask: p.ask, Choices: []string{first, second.Spec}}, err
}

// at makes the reading of one local time.
func (p *parts) at(wall time.Time) Reading {
	return Reading{Kind: wire.ScheduleAt, Spec: due.Local(wall)}
}

// ask makes the reading of several local times.
func (p *parts) askWhich(walls ...time.Time) Reading {
	r := Reading{Kind: wire.ScheduleAt}
	var said []string
	for _, w := range walls {
		r.Choices = append(r.Choices, due.Local(w))
		said = append(said, w.Format("Monday, 2 January 2006 at 15:04"))
	}
	r.Ask = "Do you mean " + strings.Join(said, " or ") + "?"
	return r
}

// day is the local time on the day that is so many days from today.
func (p *parts) day(days int) time.Time {
	return time.Date(p.wall.Year(), p.wall.Month(), p.wall.Day()+days, p.hour, p.minute, 0, 0, time.UTC)
}

func (p *parts) timed() bool { return p.times > 0 || p.part != "" }

// once reads a phrase that means one moment.
func (p *parts) once() (Reading, error) {
	switch {
	case p.relative:
		return p.fromHere()
	case p.month > 0 || p.monthDay != 0:
		return p.onDate()
	case len(p.days) > 1:
		return Reading{Ask: "Which of the days do you mean, or every one of them?"}, nil
	case len(p.days) == 1 && p.offset == nil:
		return p.onWeekday()
	case p.offset != nil:
		return p.onOffset()
	case p.timed():
		wall := p.day(0)
		if !wall.After(p.wall) {
			wall = p.day(1)
		}
		return p.at(wall), nil
	}
	return Reading{}, phraseError("No time is named. " + example)
}

// fromHere counts from now, or from a day that is named: "in two days", "in two days at nine", "in two hours".
func (p *parts) fromHere() (Reading, error) {
	if p.offset != nil || len(p.days) > 0 || p.monthDay != 0 || p.elapsed > 0 && p.timed() {
		return Reading{}, phraseError("Two different times are named. Name one.")
	}
	wall := addMonths(p.wall, p.plusMo).AddDate(0, 0, p.plusDays)
	if p.plusMo == 0 && p.plusDays == 0 || p.elapsed > 0 {
		t := due.Place(wall, p.zone)
		if p.plusMo == 0 && p.plusDays == 0 {
			t = p.now
		}
		return Reading{Kind: wire.ScheduleAt, Spec: t.Add(p.elapsed).In(p.zone).Format(time.RFC3339)}, nil
	}
	if p.timed() {
		wall = time.Date(wall.Year(), wall.Month(), wall.Day(), p.hour, p.minute, 0, 0, time.UTC)
	}
	return p.at(wall.Truncate(time.Second)), nil
}

// addMonths keeps the day, or takes the last one of a shorter month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month(), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC).AddDate(0, n, 0)
	return first.AddDate(0, 0, min(t.Day(), daysIn(first.Year(), int(first.Month())))-1)
}

func (p *parts) onOffset() (Reading, error) {
	if len(p.days) > 0 && p.day(*p.offset).Weekday() != p.days[0] {
		return Reading{}, phraseError(fmt.Sprintf("That day is a %s, not a %s.", p.day(*p.offset).Weekday(), p.days[0]))
	}
	wall := p.day(*p.offset)
	switch {
	case p.part == "midnight" && *p.offset > 0:
		return p.askWhich(wall, wall.AddDate(0, 0, 1)), nil
	case p.part == "midnight", p.part == "night" && p.times > 0 && p.hour < 6:
		return p.at(wall.AddDate(0, 0, 1)), nil
	case !wall.After(p.wall) && !p.timed():
		return Reading{Ask: "At what time today?"}, nil
	case !wall.After(p.wall):
		return Reading{}, phraseError(fmt.Sprintf("%s has passed today.", wall.Format("15:04")))
	}
	return p.at(wall), nil
}

// onWeekday finds the coming day of that name.
func (p *parts) onWeekday() (Reading, error) {
	ahead := (int(p.days[0]-p.wall.Weekday()) + 7) % 7
	untilSunday := (7 - int(p.wall.Weekday())) % 7
	inThisWeek := ahead <= untilSunday
	which := strings.TrimRight(p.which, "rsn")
	switch {
	case p.nth != 0:
		return Reading{Ask: "Of which month, or of every month?"}, nil
	case p.part == "midnight":
		return p.askWhich(p.day(ahead), p.day(ahead+1)), nil
	case p.which == "of next week":
		if inThisWeek {
			ahead += 7
		}
	case p.which == "week after":
		ahead += 7
	case ahead == 0 && p.which == "next", ahead == 0 && which == "naechste":
		ahead = 7
	case (p.which == "next" || which == "naechste") && inThisWeek:
		return p.askWhich(p.day(ahead), p.day(ahead+7)), nil
	case ahead == 0 && p.day(0).After(p.wall) && p.which == "":
		return p.askWhich(p.day(0), p.day(7)), nil
	case ahead == 0 && (!p.day(0).After(p.wall) || which == "kommende" || p.which == "coming"):
		ahead = 7
	}
	return p.at(p.day(ahead)), nil
}

// onDate finds the coming day of that number, in that month and year where they are named.
func (p *parts) onDate() (Reading, error) {
	if p.offset != nil {
		return Reading{}, phraseError("Two different days are named. Name one.")
	}
	wall, err := p.comingDate(p.month, p.monthDay)
	if err != nil {
		return Reading{}, err
	}
	if p.swapped {
		other, err := p.comingDate(p.monthDay, p.month)
		if err != nil {
			return Reading{}, err
		}
		return p.askWhich(wall, other), nil
	}
	if len(p.days) == 1 && wall.Weekday() != p.days[0] {
		return Reading{}, phraseError(fmt.Sprintf("%s is a %s, not a %s.", wall.Format("2 January 2006"), wall.Weekday(), p.days[0]))
	}
	if p.part == "midnight" {
		return p.askWhich(wall, wall.AddDate(0, 0, 1)), nil
	}
	return p.at(wall), nil
}

// comingDate is the first such day whose time has not passed.
func (p *parts) comingDate(month, day int) (time.Time, error) {
	for n := range 12 * 9 {
		first := time.Date(p.wall.Year(), p.wall.Month(), 1, p.hour, p.minute, 0, 0, time.UTC).AddDate(0, n, 0)
		last := daysIn(first.Year(), int(first.Month()))
		d := day
		if day < 0 {
			d = last
		}
		wall := first.AddDate(0, 0, d-1)
		if d > last || month > 0 && int(first.Month()) != month || p.year > 0 && first.Year() != p.year {
			continue
		}
		if wall.After(p.wall) {
			return wall, nil
		}
	}
	return time.Time{}, phraseError("That day has passed, or there is no such day.")
}

// again reads a phrase that comes again and again.
func (p *parts) again() (Reading, error) {
	switch {
	case p.relative || p.offset != nil && (p.unit == "minute" || p.unit == "hour"):
		return Reading{}, phraseError("An interval and a time from now do not go together. Name one.")
	case p.unit == "minute", p.unit == "hour":
		if p.timed() {
			return Reading{}, phraseError("An interval of hours or minutes has no time of the day. Name one of both.")
		}
		return Reading{Kind: wire.ScheduleEvery, Spec: strconv.Itoa(p.every) + p.unit[:1]}, nil
	case p.ask != "":
		return Reading{Ask: p.ask}, nil
	case p.unit == "month":
		return p.monthly()
	case p.unit == "year":
		return p.yearly()
	case p.unit == "week":
		return p.weekly()
	case p.every > 1:
		return p.counted(strconv.Itoa(p.every)+"d", p.next(0))
	}
	return p.fields("*", "*", "*"), nil
}

// fields makes the reading of cron fields at the time of the day.
func (p *parts) fields(day, month, week string) Reading {
	return Reading{Kind: wire.ScheduleCron, Spec: fmt.Sprintf("%d %d %s %s %s", p.minute, p.hour, day, month, week)}
}

// counted makes the reading of an interval of days that begins at a local time.
func (p *parts) counted(interval string, from time.Time) (Reading, error) {
	if p.offset != nil {
		from = p.day(*p.offset)
	}
	return Reading{Kind: wire.ScheduleEvery, Spec: interval + " from " + due.Local(from)}, nil
}

// next is the coming local time that is so many days after today.
func (p *parts) next(days int) time.Time {
	if wall := p.day(days); wall.After(p.wall) {
		return wall
	}
	if days > 0 {
		return p.day(days + 7)
	}
	return p.day(1)
}

func (p *parts) weekly() (Reading, error) {
	switch {
	case len(p.days) == 0:
		return Reading{Ask: "On which day of the week?"}, nil
	case p.every == 1:
		var names []string
		slices.Sort(p.days)
		if slices.Equal(p.days, []time.Weekday{1, 2, 3, 4, 5}) {
			return p.fields("*", "*", "1-5"), nil
		}
		for _, d := range slices.Compact(p.days) {
			names = append(names, strconv.Itoa(int(d)))
		}
		return p.fields("*", "*", strings.Join(names, ",")), nil
	case len(p.days) > 1:
		return Reading{}, phraseError("Several days of every second week are not understood. Make one schedule for each day.")
	}
	ahead := (int(p.days[0]-p.wall.Weekday()) + 7) % 7
	from := p.day(ahead)
	if !from.After(p.wall) {
		from = from.AddDate(0, 0, 7)
	}
	return p.counted(strconv.Itoa(p.every)+"w", from)
}

func (p *parts) monthly() (Reading, error) {
	switch {
	case p.every > 1:
		return Reading{}, phraseError("Every few months is not understood. Use five fields such as 0 9 1 */3 *.")
	case p.monthDay == -1:
		return p.fields("L", "*", "*"), nil
	case p.monthDay > 0 && p.month == 0:
		return p.fields(strconv.Itoa(p.monthDay), "*", "*"), nil
	case len(p.days) == 1 && p.nth == -1:
		return p.fields("*", "*", strconv.Itoa(int(p.days[0]))+"L"), nil
	case len(p.days) == 1 && p.nth > 0 && p.nth < 6:
		return p.fields("*", "*", fmt.Sprintf("%d#%d", p.days[0], p.nth)), nil
	}
	return Reading{Ask: "On which day of the month?"}, nil
}

func (p *parts) yearly() (Reading, error) {
	switch {
	case p.every > 1:
		return Reading{}, phraseError("Every few years is not understood. Make a schedule for each.")
	case p.monthDay < 1 || p.month == 0 || p.swapped:
		return Reading{Ask: "On which day of the year?"}, nil
	}
	return p.fields(strconv.Itoa(p.monthDay), strconv.Itoa(p.month), "*"), nil
}
