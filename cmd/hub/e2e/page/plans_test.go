package page

import "gatehouse/cmd/hub/e2e"

// plans has the owner make a schedule, run it now, pause it and let it go on: each is on its page, and the time that was written in words
// stands there as a date. What cannot be read is said at its field. It gives the page of the schedule.
func plans(p *e2e.Page) (path string) {
	p.T.Helper()
	p.Open("/app/schedules")
	p.See("main", "No schedules yet")
	write := func(when, task string) {
		p.Open("/app/schedules/new")
		p.Write("[name=spec]", when)
		p.Write("[name=task]", task)
		p.Click("#schedule-form button[type=submit]")
	}
	write("when the cows come home", "Call the baker")
	p.Until("what is wrong", `document.querySelector("#f-spec[aria-invalid=true]")`)
	write("every monday at 8", "Count the flour")
	p.See("main", "Count the flour")
	p.See("#schedule", "Active")
	p.See("#history", "Nothing was due yet")
	path = e2e.Eval[string](p, "location.pathname")
	p.Click("#schedule button[value=pause]")
	p.See("#schedule", "Paused by you")
	p.Click("#schedule button[value=resume]")
	p.See("#schedule", "Active")
	p.Click("#schedule button[value=run]")
	p.See("#history", "Run at your wish")
	p.Open("/app/schedules?q=flour")
	p.See("#schedules", "Count the flour")
	p.Open("/app/schedules/month")
	p.See("main", "Month")
	return path
}
