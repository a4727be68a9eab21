package team

import (
	"gatehouse/views/ui"
	"gatehouse/views/welcome"
)

// BusinessProps is what kind of business the owner has, and what suits it.
type BusinessProps struct {
	Kind      string // as chosen; empty: not yet
	Kinds     []ui.Option
	Problem   string
	Templates []Template // of agents that suit it
	Tasks     welcome.Props
	Ready     bool // there is a team to ask
	Hidden    bool // some of the tasks do not stand on the home page
	Away      bool
	Signs     Signs
}
