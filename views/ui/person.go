package ui

// Person is somebody with a face, such as one of our staff.
type Person struct {
	ID    string // picks the colour
	Name  string
	Photo string // address of the photo; empty: initials stand in its place
}

func (p Person) initials() string { return Agent{Name: p.Name}.initials() }

func (p Person) hue() string { return Agent{ID: p.ID}.hue() }
