package mail

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"gatehouse/views/i18n"
)

// Kind says what a letter is for.
type Kind string

// The kinds of letters.
const (
	Verify    Kind = "verify"    // prove the address; Token is the secret of its link
	Reset     Kind = "reset"     // choose a new password; Token is the secret of its link
	Welcome   Kind = "welcome"   // the server is ready
	Approvals Kind = "approvals" // approvals have waited for a while
	Waiting   Kind = "waiting"   // the same to an address that is not confirmed: it says that something waits and nothing else
	SignIn    Kind = "sign_in"   // sign in; Token is the secret of its link
	StaffKey  Kind = "staff_key" // one of our staff asks to be let allow

	SupportAsk Kind = "support_ask" // one of our staff asks to look at content of the server

	RegainTold Kind = "regain_told" // an owner lost everything; Token is the secret of the link that stops the case
	RegainDone Kind = "regain_done" // the case is done; it goes to the former address

	PasswordNew    Kind = "password_new"     // the password was changed
	StaffInvite    Kind = "staff_invite"     // somebody is asked to join our staff; Token is the secret of the link
	StaffCode      Kind = "staff_code"       // one of our staff confirms what nobody can take back; Token is the code
	StaffSecond    Kind = "staff_second"     // one of our staff sets the second step up again; Token is the secret of the link
	SecondOn       Kind = "second_on"        // a code is asked at sign-in from now on
	SecondOff      Kind = "second_off"       // no code is asked any more
	PasskeyOn      Kind = "passkey_on"       // a passkey was added that signs in
	StaffPasskeyOn Kind = "staff_passkey_on" // the same to one of our staff
	Invite         Kind = "invite"           // join the people of a business; Token is the secret of its link
	OrderEnded     Kind = "order_ended"      // the order ended: when its server is released
	OrderLate      Kind = "order_late"       // the order takes longer than was promised
	OrderHelp      Kind = "order_help"       // an order needs one of our staff

	PaymentWaiting Kind = "payment_waiting" // an order waits for its payment
	PaymentFailed  Kind = "payment_failed"  // an invoice could not be collected
	PaymentPaused  Kind = "payment_paused"  // the team is paused because of that
	PaymentLast    Kind = "payment_last"    // the order ends soon
	PaymentExpires Kind = "payment_expires" // the card on file expires
	PaymentHelp    Kind = "payment_help"    // to our staff: a dispute, or a refund that failed

	PoolLow   Kind = "pool_low"   // most of the tokens of the month are used
	PoolEmpty Kind = "pool_empty" // they are used up

	PlanChanged   Kind = "plan_changed"   // another plan holds
	PlanCancelled Kind = "plan_cancelled" // it ends with the month
	PlanKept      Kind = "plan_kept"      // that was taken back
	PlanAddress   Kind = "plan_address"   // an invoice needs the customer's address

	MachineRescue    Kind = "machine_rescue"    // our staff started a rescue system on the server's machine
	MachineReinstall Kind = "machine_reinstall" // our staff are installing it anew
	MachineRestore   Kind = "machine_restore"   // our staff are restoring a snapshot
	SnapshotLate     Kind = "snapshot_late"     // to our staff: a server has no new daily snapshot

	InviteFirst Kind = "invite_first" // become the owner of a business that our staff made; Token is the secret of its link
	InviteKnown Kind = "invite_known" // the same to somebody who has an account already, which belongs to one business
)

// Props are what a letter is written from.
type Props struct {
	Kind  Kind
	Name  string  // of the person
	Token string  // verify, reset, sign_in, invite and those to our staff
	Hub   string  // the hub's own address, such as https://hub.example; links start with it whatever a request said
	Asked []Asked // approvals only: what waits, the most urgent first
	Count int     // waiting only: how many requests wait

	By, ByEmail, Business string // invitations only: who invites, and, of a customer's people, to which business

	Order Ordered   // those about an order only
	Ref   string    // those to our staff about a server only: its id
	Pool  Pool      // pool_low and pool_empty only
	Plan  Plan      // plan_changed, plan_cancelled and plan_kept only
	Act   Destroyed // staff_code; of those about a machine, the name of its server
}

// Letter is a finished mail.
type Letter struct {
	Subject string
	HTML    string
	Text    string
}

// Write writes the letter, or says that it does not know the kind.
func Write(ctx context.Context, p Props) (Letter, error) {
	link, err := p.link()
	if err != nil {
		return Letter{}, err
	}
	w := words(ctx, p)
	w.Address = houseOf(ctx).Address
	var html strings.Builder
	if err := page(w, link).Render(ctx, &html); err != nil {
		return Letter{}, fmt.Errorf("write %s mail: %w", p.Kind, err)
	}
	return Letter{Subject: w.Subject, HTML: html.String(), Text: plain(w, link)}, nil
}

// link is the one address that the letter leads to; empty: it leads nowhere.
func (p Props) link() (string, error) {
	hub := strings.TrimSuffix(p.Hub, "/")
	switch p.Kind {
	case Verify:
		return hub + "/auth/verify/" + p.Token, nil
	case Reset:
		return hub + "/auth/reset/" + p.Token, nil
	case SignIn:
		return hub + "/auth/link/" + p.Token, nil
	case PasswordNew, SecondOn, SecondOff, PasskeyOn:
		return hub + "/app/settings/sign-in", nil
	case Invite, InviteFirst:
		return hub + "/auth/invite/" + p.Token, nil
	case Welcome:
		return hub + "/app", nil
	case StaffKey:
		return hub + "/app/settings/approvers", nil
	case RegainTold:
		return hub + "/auth/regain/" + p.Token, nil
	case SupportAsk:
		return hub + "/app/server/support", nil
	case Approvals:
		return hub + approvalsPath(p.Asked), nil
	case StaffInvite:
		return hub + "/admin/auth/invite/" + p.Token, nil
	case StaffPasskeyOn:
		return hub + "/admin/profile", nil
	case StaffSecond:
		return hub + "/admin/auth/second/" + p.Token, nil
	case MachineRescue, MachineReinstall, MachineRestore:
		return hub + "/app/server", nil
	case SnapshotLate:
		return hub + "/admin/servers/" + p.Ref, nil
	case PaymentWaiting:
		return hub + "/checkout/pay", nil
	case PaymentFailed, PaymentPaused, PaymentLast, PaymentExpires, PlanChanged, PlanCancelled, PlanKept, PlanAddress:
		return hub + "/app/billing", nil
	case PoolLow, PoolEmpty:
		return hub + "/app/agents/limits", nil
	case PaymentHelp:
		return hub + "/admin/customers/" + p.Ref, nil
	case OrderEnded, OrderLate:
		return hub + "/onboard", nil
	case OrderHelp:
		return hub + "/admin/orders/" + p.Order.ID, nil
	case Waiting, InviteKnown, StaffCode, RegainDone:
		return "", nil
	}
	return "", fmt.Errorf("no letter of the kind %q", p.Kind)
}

// text holds the words of one letter.
type text struct {
	Subject, Brand, Title, Hello, Text, Button, Instead, Small, Footer string
	Address                                                            string   // postal, of who sends it; may be empty
	Lines                                                              []string // a list below Text
	Code                                                               string   // to be typed; empty: none
}

func words(ctx context.Context, p Props) text {
	w := text{
		Brand: cmp.Or(houseOf(ctx).Name, i18n.T(ctx, "mail.brand")), Hello: i18n.T(ctx, "mail.hello", "name", p.Name),
		Instead: i18n.T(ctx, "mail.link_instead"),
		Footer:  i18n.T(ctx, "mail.footer", "hub", p.Hub),
	}
	of := func(part string) string { return i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+"."+part)) }
	if !p.Kind.aboutMachine() {
		w.Small = of("small")
	}
	switch p.Kind {
	case Approvals:
		return approvalsWords(ctx, p, w)
	case Waiting:
		w.Subject, w.Text = i18n.T(ctx, "mail.approvals.subject", "n", p.Count), i18n.T(ctx, "mail.waiting.text", "n", p.Count)
		w.Title = w.Subject
		return w
	case StaffInvite:
		w.Hello, w.Footer = i18n.T(ctx, "mail.hello_somebody"), i18n.T(ctx, "mail.footer_invited", "hub", p.Hub)
		w.Text = i18n.T(ctx, "mail.staff_invite.text", "by", p.By)
		w.Subject, w.Title, w.Button = of("subject"), of("title"), of("button")
		return w
	case Invite, InviteKnown, InviteFirst:
		return inviteWords(ctx, p, w)
	case OrderEnded, OrderLate, OrderHelp:
		return orderWords(ctx, p, w)
	case StaffCode:
		return codeWords(ctx, p, w)
	case PoolLow, PoolEmpty:
		return poolWords(ctx, p, w)
	case PlanChanged, PlanCancelled, PlanKept, PlanAddress:
		return planWords(ctx, p, w)
	case MachineRescue, MachineReinstall, MachineRestore, SnapshotLate:
		return machineWords(ctx, p, w)
	}
	w.Subject, w.Title, w.Text = of("subject"), of("title"), of("text")
	if p.Kind == PaymentHelp {
		w.Text = i18n.T(ctx, disputeWords[p.Act.Name])
	}
	if p.Kind != RegainDone { // it leads nowhere
		w.Button = of("button")
	}
	return w
}

// inviteWords are those of a letter to somebody who is no person of the business yet: it greets nobody by name.
func inviteWords(ctx context.Context, p Props, w text) text {
	of := func(part string) string {
		return i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+"."+part), "by", p.By, "email", p.ByEmail, "business", p.Business)
	}
	w.Subject, w.Title, w.Text, w.Small = of("subject"), of("title"), of("text"), of("small")
	w.Hello, w.Footer = i18n.T(ctx, "mail.hello_somebody"), i18n.T(ctx, "mail.footer_invited", "hub", p.Hub)
	if p.Kind != InviteKnown {
		w.Button = of("button")
	}
	return w
}

// plain is the letter for programs that show no HTML.
func plain(w text, link string) string {
	parts := []string{w.Title, w.Hello, wrap(w.Text)}
	for _, l := range w.Lines {
		parts = append(parts, wrap("* "+l))
	}
	if w.Code != "" {
		parts = append(parts, w.Code)
	}
	if link != "" {
		parts = append(parts, w.Button+":\n"+link)
	}
	parts = append(parts, wrap(w.Small), "-- \n"+w.Brand+"\n"+wrap(w.Footer)+end(w.Address))
	return strings.Join(parts, "\n\n") + "\n"
}

// columns is how wide plain text is written: mail programs that show it do not break lines.
const columns = 72

// wrap breaks text between words so that no line is wider than columns, unless a word is.
func wrap(text string) string {
	var b strings.Builder
	line := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case line == 0:
		case line+1+n > columns:
			b.WriteByte('\n')
			line = 0
		default:
			b.WriteByte(' ')
			line++
		}
		b.WriteString(word)
		line += n
	}
	return b.String()
}

// end is the postal address of who sends a letter, on lines of its own.
func end(address string) string {
	if address == "" {
		return ""
	}
	return "\n" + wrap(address)
}
