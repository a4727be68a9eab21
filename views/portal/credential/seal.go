package credential

// SealProps is a form whose value leaves the browser sealed.
type SealProps struct {
	ID, Action, Method, Name, Request, Session, Button string
}
