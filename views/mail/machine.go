package mail

import (
	"context"

	"gatehouse/views/i18n"
)

// aboutMachine says whether a letter tells an owner what our staff do with the machine of the server.
func (k Kind) aboutMachine() bool {
	return k == MachineRescue || k == MachineReinstall || k == MachineRestore
}

// machineWords are those of such a letter.
func machineWords(ctx context.Context, p Props, w text) text {
	of := func(part string) string {
		return i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+"."+part), "name", p.Act.Name)
	}
	w.Subject, w.Text = of("subject"), of("text")
	if p.Kind == SnapshotLate {
		w.Title, w.Button = w.Subject, of("button")
		return w
	}
	w.Title, w.Button, w.Small = w.Subject, i18n.T(ctx, "mail.machine.button"), i18n.T(ctx, "mail.machine.small")
	return w
}
