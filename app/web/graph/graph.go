package graph

import (
	"cmp"

	"gatehouse/app/server"
	"gatehouse/views/chart"
)

// SpanOf reads the span that a page is asked for; without one it is a day.
func SpanOf(asked string) server.Span { return server.Span(cmp.Or(asked, string(server.Day))) }

// Of is a chart as the page at path draws it.
func Of(c server.Chart, path string) chart.Props {
	p := chart.Props{Path: path, Span: string(c.Span), From: c.From, To: c.To, Step: c.Step}
	for _, v := range c.Points {
		p.Points = append(p.Points, chart.Point{
			At: v.At, Beats: v.Beats, CPU: stat(v.CPU), Mem: stat(v.Mem), Disk: stat(v.Disk), NetIn: stat(v.NetIn), NetOut: stat(v.NetOut),
			Boxes: stat(v.Boxes),
		})
	}
	return p
}

func stat(s server.Stat) chart.Stat {
	return chart.Stat{Known: s.Known, Min: s.Min, Avg: s.Avg, Max: s.Max}
}
