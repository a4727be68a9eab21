package work

// Item is one piece of follow-up work, queued in the transaction of the change that asks for it. Fields hold ids
// only: staff can read the rows of the queue.
type Item interface{ WorkKind() string }

// AdvanceOrder takes an order one step further.
type AdvanceOrder struct {
	OrderID string
	Step    string // the state that the order is in; one job per order and step
	Attempt int    // counts retries by a person, so that a step can be queued anew
}

// WorkKind names the work.
func (AdvanceOrder) WorkKind() string { return "advance_order" }

// SendMail sends one mail by template and recipient ids.
type SendMail struct {
	Template string // verify, reset, sign_in, welcome, staff_key, support_ask, password_new, second_on, second_off, passkey_on
	UserID   string
	Ref      string // what the mail is about, so that it goes out once: the id of a token row or an order; of one of our staff, and a day
}

// WorkKind names the work.
func (SendMail) WorkKind() string { return "send_mail" }

// MailApprovals tells an owner of approvals that wait.
type MailApprovals struct {
	Mail   int64 // which mail, as it was claimed
	UserID string
}

// WorkKind names the work.
func (MailApprovals) WorkKind() string { return "mail_approvals" }

// RefreshTeam tells a customer's server what changed in the account: a proven address, a new name, another time zone.
type RefreshTeam struct {
	CustomerID string
	UserID     string // who changed it; empty: our staff
}

// WorkKind names the work.
func (RefreshTeam) WorkKind() string { return "refresh_team" }

// BeginMonth begins the billing period of a customer whose server has become ready.
type BeginMonth struct{ CustomerID string }

// WorkKind names the work.
func (BeginMonth) WorkKind() string { return "begin_month" }

// TellDevice looks whether a device shows the requests that wait, and tells it if not.
type TellDevice struct{ DeviceID string }

// WorkKind names the work.
func (TellDevice) WorkKind() string { return "tell_device" }

// TellPool tells a device of an owner how much of the month's tokens is used.
type TellPool struct {
	DeviceID string
	Percent  int // of the pool
}

// WorkKind names the work.
func (TellPool) WorkKind() string { return "tell_pool" }

// TellSupport tells a device of an owner that one of our staff asks for a support window.
type TellSupport struct{ DeviceID, Window string }

// WorkKind names the work.
func (TellSupport) WorkKind() string { return "tell_support" }

// TestDevice sends a device a message that its person asked for, to see that it arrives.
type TestDevice struct{ DeviceID string }

// WorkKind names the work.
func (TestDevice) WorkKind() string { return "test_device" }

// FinishRegain ends the case of an owner who lost everything, once its delay is over.
type FinishRegain struct{ CaseID string }

// WorkKind names the work.
func (FinishRegain) WorkKind() string { return "finish_regain" }

// RunCommand sends a command to a server and waits for its end.
type RunCommand struct{ CommandID string }

// WorkKind names the work.
func (RunCommand) WorkKind() string { return "run_command" }

// RunMachineAct has a provider do something with the machine of a server.
type RunMachineAct struct{ ActID string }

// WorkKind names the work.
func (RunMachineAct) WorkKind() string { return "run_machine_act" }

// LookAtMachine asks a provider how the machine of a server is.
type LookAtMachine struct{ ServerID string }

// WorkKind names the work.
func (LookAtMachine) WorkKind() string { return "look_at_machine" }

// DropSnapshots deletes the snapshots of a customer who took the consent back.
type DropSnapshots struct{ CustomerID string }

// WorkKind names the work.
func (DropSnapshots) WorkKind() string { return "drop_snapshots" }

// CloseAccount erases what is kept of a customer who left.
type CloseAccount struct{ CustomerID string }

// WorkKind names the work.
func (CloseAccount) WorkKind() string { return "close_account" }

// ReadEvent deals with an event of the payment provider.
type ReadEvent struct{ EventID string }

// WorkKind names the work.
func (ReadEvent) WorkKind() string { return "read_payment_event" }

// GiveBack has the payment provider do a refund.
type GiveBack struct{ RefundID string }

// WorkKind names the work.
func (GiveBack) WorkKind() string { return "give_back" }

// RefundOrder gives back what an order cost that was called off.
type RefundOrder struct{ OrderID string }

// WorkKind names the work.
func (RefundOrder) WorkKind() string { return "refund_order" }

// CollectInvoice has the money of an invoice collected.
type CollectInvoice struct{ InvoiceID string }

// WorkKind names the work.
func (CollectInvoice) WorkKind() string { return "collect_invoice" }

// RefundCredit has the money of a credit note given back.
type RefundCredit struct{ CreditID string }

// WorkKind names the work.
func (RefundCredit) WorkKind() string { return "refund_credit" }
