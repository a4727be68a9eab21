package permission

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/permission/sentence"

	views "gatehouse/views/portal/permission"
)

// draft is the rules in a form on their way: the text that it carries, with what its rows make of it.
type draft struct {
	doc    *sentence.Document
	text   string
	open   []int // rows whose fields are shown
	fresh  *int  // the one that was opened just now; nil: none
	faults []sentence.Fault
	stuck  error // why there are no rows
}

// readDraft reads rules as rows.
func readDraft(text string) *draft {
	d := &draft{text: text}
	d.doc, d.stuck = sentence.Read(text)
	return d
}

// take writes what a form has of the rows that are open.
func (d *draft) take(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil || d.stuck != nil {
		return err
	}
	rows := d.doc.Rows()
	for _, name := range form["row"] {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(rows) && !slices.Contains(d.open, n) {
			d.doc.Set(n, rowOf(form, n, rows[n]))
			d.open = append(d.open, n)
		}
	}
	if form.Has(views.SettingField("open")) {
		d.doc.SetSettings(settingsOf(form, d.doc.Settings()))
	}
	return nil
}

// do carries out what a button says: add, or something with one of the rows.
func (d *draft) do(act string) {
	if d.stuck != nil {
		return
	}
	what, number, _ := strings.Cut(act, ":")
	n, err := strconv.Atoi(number)
	switch {
	case what == "add":
		d.add(sentence.Row{Effect: "ask"})
	case what == "addfor" && number != "":
		d.add(sentence.Row{Effect: "ask", Channel: number})
	case err != nil || n < 0 || n >= len(d.doc.Rows()):
	case what == "open":
		d.open, d.fresh = append(d.open, n), &n
	case what == "close":
		d.open = slices.DeleteFunc(d.open, func(o int) bool { return o == n })
	case what == "remove":
		d.doc.Remove(n)
		d.renumber(func(o int) int { return without(o, n) })
	case what == "up":
		d.move(n, -1)
	case what == "down":
		d.move(n, 1)
	}
}

// add writes a rule behind the others and opens it.
func (d *draft) add(row sentence.Row) {
	n := d.doc.Add(row)
	d.renumber(func(o int) int {
		if o >= n {
			return o + 1
		}
		return o
	})
	d.open, d.fresh = append(d.open, n), &n
}

// without is where row o stands once row n is gone; -1 is nowhere.
func without(o, n int) int {
	switch {
	case o == n:
		return -1
	case o > n:
		return o - 1
	}
	return o
}

func (d *draft) move(n, by int) {
	to := d.doc.Move(n, by)
	d.renumber(func(o int) int {
		switch o {
		case n:
			return to
		case to:
			return n
		}
		return o
	})
}

// renumber follows the open rows to where they stand now.
func (d *draft) renumber(to func(int) int) {
	for i, o := range d.open {
		d.open[i] = to(o)
	}
	d.open = slices.DeleteFunc(d.open, func(o int) bool { return o < 0 })
}

// settle makes the text of the rows, and looks for what is wrong with them. The text that came stays when YAML cannot say
// what was changed.
func (d *draft) settle() {
	if d.stuck != nil {
		return
	}
	text, err := d.doc.Text()
	if err == nil {
		d.faults, err = d.doc.Faults()
	}
	if err != nil {
		d.stuck = err
		return
	}
	d.text = text
	for _, f := range d.faults {
		if f.Row >= 0 && !slices.Contains(d.open, f.Row) {
			d.open = append(d.open, f.Row)
		}
	}
}
