package chart

import (
	"slices"
	"strconv"
	"strings"
)

// Bars is a picture of sums, one bar beside the other, and the same as a table.
type Bars struct {
	Beside    bool // the parts of a bar stand beside each other, each from zero, up or down; else they are one on the other
	ID, Title string
	First     string   // heading of the names in the table
	Table     string   // what opens the table
	Parts     []string // of each bar, from below; at most 3
	Bars      []Bar
	Short     func(int64) string // a figure at a glance
	Whole     func(int64) string // exactly
}

// Bar is one sum.
type Bar struct {
	Name   string
	Values []int64 // one for each part
}

func (b Bar) sum() (n int64) {
	for _, v := range b.Values {
		n += v
	}
	return n
}

// top is the value at the upper edge.
func (b Bars) top() int64 {
	most := int64(1)
	for _, bar := range b.Bars {
		most = max(most, b.ends(bar)[1])
	}
	return int64(rounded(float64(most)))
}

// bottom is the value at the lower edge: zero, unless something is less.
func (b Bars) bottom() int64 {
	var least int64
	for _, bar := range b.Bars {
		least = min(least, b.ends(bar)[0])
	}
	if least == 0 {
		return 0
	}
	return -int64(rounded(float64(-least)))
}

// ends are how far down and up a bar goes.
func (b Bars) ends(bar Bar) [2]int64 {
	if !b.Beside {
		return [2]int64{0, bar.sum()}
	}
	return [2]int64{slices.Min(bar.Values), slices.Max(bar.Values)}
}

// at is where a value is, from above.
func (b Bars) at(value int64) float64 {
	return 1 + float64(b.top()-value)/float64(b.top()-b.bottom())*(height-2)
}

// piece is a part of a bar in the picture.
type piece struct{ x, y, width, height string }

// piece is part n of bar i.
func (b Bars) piece(i, n int) piece {
	slot := width / float64(max(len(b.Bars), 1))
	value := b.Bars[i].Values[n]
	if b.Beside {
		each := slot * .76 / float64(len(b.Parts))
		return piece{
			number(slot*float64(i) + slot*.12 + each*float64(n)), number(b.at(max(value, 0))), number(each),
			number(b.at(min(value, 0)) - b.at(max(value, 0))),
		}
	}
	var below int64
	for _, v := range b.Bars[i].Values[:n] {
		below += v
	}
	return piece{
		number(slot*float64(i) + slot*.12), number(b.at(below + value)), number(slot * .76), number(b.at(below) - b.at(below+value)),
	}
}

// zero is the line of zero in the picture.
func (b Bars) zero() string { return "M0 " + number(b.at(0)) + "H600" }

func number(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// said is the picture in one sentence, for those who do not see it: the highest bar, or the last one with its parts.
func (b Bars) said() string {
	said := []string{b.Title}
	if n := len(b.Bars); b.Beside && n > 0 {
		last := b.Bars[n-1]
		said = append(said, last.Name)
		for i, part := range b.Parts {
			said = append(said, part+": "+b.Whole(last.Values[i]))
		}
		return strings.Join(said, ". ")
	}
	most := -1
	for i, bar := range b.Bars {
		if most < 0 || bar.sum() > b.Bars[most].sum() {
			most = i
		}
	}
	if most >= 0 {
		said = append(said, b.Bars[most].Name+": "+b.Whole(b.Bars[most].sum()))
	}
	return strings.Join(said, ". ")
}

// ticks are the names at the edges of the picture and in its middle.
func (b Bars) ticks() []string {
	if n := len(b.Bars); n > 2 {
		return []string{b.Bars[0].Name, b.Bars[n/2].Name, b.Bars[n-1].Name}
	}
	var all []string
	for _, bar := range b.Bars {
		all = append(all, bar.Name)
	}
	return all
}
