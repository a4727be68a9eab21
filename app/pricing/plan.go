package pricing

import "gatehouse/app/fault"

// Cents is an amount of euros in hundredths.
type Cents int64

// Currency is the currency of all plans.
const Currency = "EUR"

// PlanID names a plan in URLs and rows: never rename.
type PlanID string

// The plans.
const (
	Lite       PlanID = "lite"
	Build      PlanID = "build"
	Scale      PlanID = "scale"
	Enterprise PlanID = "enterprise"
)

// Plan is what a customer pays a month and gets for it.
type Plan struct {
	ID      PlanID
	Name    string
	Monthly Cents
	Pool    int64 // tokens a month
}

var plans = [...]Plan{
	{Lite, "Lite", 29_00, 8_000_000},
	{Build, "Build", 45_00, 15_000_000},
	{Scale, "Scale", 75_00, 25_000_000},
	{Enterprise, "Enterprise", 109_00, 40_000_000},
}

// ErrNoPlan says that a plan does not exist.
var ErrNoPlan = fault.Bad(map[string]string{"plan": "Choose one of the plans."})

// Plans lists the plans that a new hub begins with, cheapest first. What is sold now stands in the price book.
func Plans() []Plan { return append([]Plan(nil), plans[:]...) }

// Find returns the plan of that id as a new hub sells it, or ErrNoPlan: for its name.
func Find(id PlanID) (Plan, error) { return FindIn(plans[:], id) }

// FindIn returns the plan of that id among all, or ErrNoPlan.
func FindIn(all []Plan, id PlanID) (Plan, error) {
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
	}
	return Plan{}, ErrNoPlan
}
