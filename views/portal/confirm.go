package portal

// ConfirmProps is an address that its reader has not confirmed yet.
type ConfirmProps struct {
	Email  string
	Action string // where the form that sends the link again goes
	Next   string // the page that it leads back to
}
