package chart

import (
	"context"
	"strconv"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Props is what a server measured in a span of time.
type Props struct {
	Path     string // of the page; the span is added to it
	Span     string // hour, day, week, quarter
	From, To time.Time
	Step     time.Duration
	Points   []Point // by time; a step without one is a gap
}

// Point is one step.
type Point struct {
	At                   time.Time // when it begins
	Beats                int
	CPU, Mem, Disk       Stat // shares, 0 to 1
	NetIn, NetOut, Boxes Stat // bytes a second; containers that run
}

// Stat is a figure over a step.
type Stat struct {
	Known         bool
	Min, Avg, Max float64
}

// The size of a picture in its own units; a page stretches it.
const (
	width  = 600.0
	height = 120.0
)

// line is one figure of a chart.
type line struct {
	name i18n.Key
	of   func(Point) Stat
}

// plot is one chart.
type plot struct {
	id    string
	title i18n.Key
	lines []line
	write func(ctx context.Context, v float64) string
	full  float64 // the top of the picture; 0: above the largest value
}

var plots = []plot{
	{"cpu", "fleet.cpu", []line{{"fleet.cpu", func(p Point) Stat { return p.CPU }}}, percent, 1},
	{"mem", "fleet.mem", []line{{"fleet.mem", func(p Point) Stat { return p.Mem }}}, percent, 1},
	{"disk", "fleet.disk", []line{{"fleet.disk", func(p Point) Stat { return p.Disk }}}, percent, 1},
	{"net", "fleet.net", []line{
		{"fleet.net_in", func(p Point) Stat { return p.NetIn }}, {"fleet.net_out", func(p Point) Stat { return p.NetOut }},
	}, speed, 0},
	{"containers", "fleet.containers", []line{{"fleet.containers", func(p Point) Stat { return p.Boxes }}}, figure, 0},
}

func percent(ctx context.Context, v float64) string {
	decimals := 0
	if v > 0 && v < 0.0995 {
		decimals = 1
	}
	return i18n.Decimal(ctx, v*100, decimals) + " %"
}

func speed(ctx context.Context, v float64) string { return ui.Bytes(ctx, int64(v)) + "/s" }

func figure(ctx context.Context, v float64) string {
	if v == float64(int64(v)) {
		return ui.Count(ctx, int64(v))
	}
	return i18n.Decimal(ctx, v, 1)
}

// whole is a figure over the whole span: the least, the mean of all heartbeats, and the most.
func (p Props) whole(l line) (all Stat) {
	var sum, n float64
	for _, pt := range p.Points {
		s := l.of(pt)
		if !s.Known {
			continue
		}
		if !all.Known || s.Min < all.Min {
			all.Min = s.Min
		}
		if !all.Known || s.Max > all.Max {
			all.Max = s.Max
		}
		all.Known = true
		sum, n = sum+s.Avg*float64(pt.Beats), n+float64(pt.Beats)
	}
	if n > 0 {
		all.Avg = sum / n
	}
	return all
}

// known says whether anything of a chart was measured.
func (p Props) known(c plot) bool {
	for _, l := range c.lines {
		if p.whole(l).Known {
			return true
		}
	}
	return false
}

// top is the value at the upper edge of a picture.
func (p Props) top(c plot) float64 {
	if c.full > 0 {
		return c.full
	}
	most := 1.0
	for _, l := range c.lines {
		most = max(most, p.whole(l).Max)
	}
	return rounded(most)
}

// rounded is the next value above v that begins with 1, 2 or 5.
func rounded(v float64) float64 {
	unit := 1.0
	for unit*10 <= v {
		unit *= 10
	}
	for _, m := range []float64{1, 2, 5, 10} {
		if unit*m >= v {
			return unit * m
		}
	}
	return v
}

// run is a stretch of steps that follow each other, all with the figure.
type run struct{ from, to int } // indexes into Points, to excluded

func (p Props) runs(l line) (all []run) {
	for i, pt := range p.Points {
		if !l.of(pt).Known {
			continue
		}
		if n := len(all); n > 0 && all[n-1].to == i && pt.At.Sub(p.Points[i-1].At) <= p.Step {
			all[n-1].to = i + 1
			continue
		}
		all = append(all, run{i, i + 1})
	}
	return all
}

func (p Props) x(t time.Time) float64 {
	return float64(t.Sub(p.From)) / float64(p.To.Sub(p.From)) * width
}

func y(v, top float64) float64 { return height - 1 - min(v/top, 1)*(height-2) }

func at(x, y float64) string {
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + strconv.FormatFloat(y, 'f', 1, 64)
}

// path is the line of the means. A step that stands alone is as long as itself.
func (p Props) path(l line, top float64) string {
	var b strings.Builder
	for _, r := range p.runs(l) {
		for i := r.from; i < r.to; i++ {
			pt := p.Points[i]
			h := y(l.of(pt).Avg, top)
			if r.to-r.from == 1 {
				b.WriteString("M" + at(p.x(pt.At), h) + "L" + at(p.x(pt.At.Add(p.Step)), h))
				continue
			}
			b.WriteString(map[bool]string{true: "M", false: "L"}[i == r.from] + at(p.x(pt.At.Add(p.Step/2)), h))
		}
	}
	return b.String()
}

// band is the area between the least and the most.
func (p Props) band(l line, top float64) string {
	var b strings.Builder
	for _, r := range p.runs(l) {
		for i := r.from; i < r.to; i++ {
			begin, end, h := p.x(p.Points[i].At), p.x(p.Points[i].At.Add(p.Step)), y(l.of(p.Points[i]).Max, top)
			b.WriteString(map[bool]string{true: "M", false: "L"}[i == r.from] + at(begin, h) + "L" + at(end, h))
		}
		for i := r.to - 1; i >= r.from; i-- {
			begin, end, h := p.x(p.Points[i].At), p.x(p.Points[i].At.Add(p.Step)), y(l.of(p.Points[i]).Min, top)
			b.WriteString("L" + at(end, h) + "L" + at(begin, h))
		}
		b.WriteString("Z")
	}
	return b.String()
}

// gap is a stretch without heartbeats.
type gap struct{ from, to time.Time }

func (p Props) gaps() (all []gap) {
	end := p.From
	for _, pt := range p.Points {
		if pt.At.After(end) {
			all = append(all, gap{end, pt.At})
		}
		end = pt.At.Add(p.Step)
	}
	if end.Before(p.To) {
		all = append(all, gap{end, p.To})
	}
	return all
}

func (p Props) gapX(g gap) string { return strconv.FormatFloat(p.x(g.from), 'f', 1, 64) }

func (p Props) gapWidth(g gap) string { return strconv.FormatFloat(p.x(g.to)-p.x(g.from), 'f', 1, 64) }

// tick names a moment at the edge of a picture, in the reader's zone.
func (p Props) tick(ctx context.Context, t time.Time) string {
	if p.To.Sub(p.From) <= 24*time.Hour {
		return ui.Clock(t, ui.Of(ctx).Zone)
	}
	return i18n.Day(ctx, t.In(ui.Of(ctx).Zone))
}

func (p Props) ticks(ctx context.Context) []string {
	return []string{p.tick(ctx, p.From), p.tick(ctx, p.From.Add(p.To.Sub(p.From)/2)), p.tick(ctx, p.To)}
}

// said is a chart in one sentence, for those who do not see it.
func (p Props) said(ctx context.Context, c plot) string {
	parts := []string{i18n.T(ctx, c.title)}
	for _, l := range c.lines {
		if s := p.whole(l); s.Known {
			least, avg, most := c.write(ctx, s.Min), c.write(ctx, s.Avg), c.write(ctx, s.Max)
			parts = append(parts, i18n.T(ctx, "fleet.said", "what", i18n.T(ctx, l.name), "min", least, "avg", avg, "max", most))
		}
	}
	return strings.Join(parts, ". ")
}

// cell is a figure of one step in the table: the mean, and the least and the most where they differ.
func cell(ctx context.Context, c plot, s Stat) string {
	if !s.Known {
		return "–"
	}
	avg, least, most := c.write(ctx, s.Avg), c.write(ctx, s.Min), c.write(ctx, s.Max)
	if least == most {
		return avg
	}
	return avg + " (" + least + " – " + most + ")"
}

// spans are the choices above the charts.
var spans = []struct {
	name  string
	label i18n.Key
}{{"hour", "fleet.hour"}, {"day", "fleet.day"}, {"week", "fleet.week"}, {"quarter", "fleet.quarter"}}

func (p Props) href(span string) string { return p.Path + "?span=" + span + "#charts" }

// rows is the table's steps, newest first: what is asked about is usually now.
func (p Props) rows() []Point {
	all := make([]Point, len(p.Points))
	for i, pt := range p.Points {
		all[len(all)-1-i] = pt
	}
	return all
}
