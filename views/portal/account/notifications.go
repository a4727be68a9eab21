package account

import "time"

// NotificationsProps is on which devices the reader gets notifications, and when not.
type NotificationsProps struct {
	Key      string // what a browser subscribes with
	Devices  []DeviceProps
	Name     string // for this device, when a form came back
	From, To string // quiet hours, as 22:00; empty: none
	Zone     string // in which they hold
	Problem  string // why the form as a whole was refused
	Problems map[string]string
}

// DeviceProps is one device that gets notifications.
type DeviceProps struct {
	ID, Name              string
	Print                 string // by which a browser finds itself
	Added, Told, Failing  time.Time
	NameProblem, GivenNew string // a new name that was refused, and why
}
