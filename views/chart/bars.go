package chart

import (
	"strconv"
	"strings"
)

// Bars is a picture of sums, one bar beside the other, and the same as a table.
type Bars struct {
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
		most = max(most, bar.sum())
	}
	return int64(rounded(float64(most)))
}

// piece is a part of a bar in the picture.
type piece struct{ x, y, width, height string }

// piece is part n of bar i.
func (b Bars) piece(i, n int) piece {
	slot := width / float64(max(len(b.Bars), 1))
	var below int64
	for _, v := range b.Bars[i].Values[:n] {
		below += v
	}
	high := float64(b.Bars[i].Values[n]) / float64(b.top()) * (height - 2)
	base := height - 1 - float64(below)/float64(b.top())*(height-2)
	return piece{number(slot*float64(i) + slot*.12), number(base - high), number(slot * .76), number(high)}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// said is the picture in one sentence, for those who do not see it.
func (b Bars) said() string {
	parts := []string{b.Title}
	most := -1
	for i, bar := range b.Bars {
		if most < 0 || bar.sum() > b.Bars[most].sum() {
			most = i
		}
	}
	if most >= 0 {
		parts = append(parts, b.Bars[most].Name+": "+b.Whole(b.Bars[most].sum()))
	}
	return strings.Join(parts, ". ")
}

// ends are the names at the edges of the picture and in its middle.
func (b Bars) ends() []string {
	if n := len(b.Bars); n > 2 {
		return []string{b.Bars[0].Name, b.Bars[n/2].Name, b.Bars[n-1].Name}
	}
	var all []string
	for _, bar := range b.Bars {
		all = append(all, bar.Name)
	}
	return all
}
