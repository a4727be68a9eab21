package api

import (
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/session"
)

// TestSeen: the address to which a messenger brings messages is shown whole to who may set channels up, and to nobody else.
func TestSeen(t *testing.T) {
	t.Parallel()
	const hub, hook = "https://hub.example", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	brought, asked := wire.Channel{Name: wire.ChannelGoogleChat, Hook: hook}, wire.Channel{Name: wire.ChannelTelegram}
	owner := seen(session.Who{Role: string(account.Owner)}, hub)
	if got := owner(brought).Hook; got == nil || *got != hub+"/h/"+hook {
		t.Errorf("the owner sees %v", got)
	}
	if got := owner(asked).Hook; got != nil {
		t.Errorf("a channel without one has %q", *got)
	}
	for name, who := range map[string]session.Who{
		"a member": {Role: string(account.Member), Chat: true, Approve: true}, "nobody": {},
	} {
		if got := seen(who, hub)(brought).Hook; got != nil {
			t.Errorf("%s sees %q", name, *got)
		}
	}
}
