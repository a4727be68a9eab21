package agentd

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/discord"
	"gatehouse/agentd/channel/email"
	"gatehouse/agentd/channel/googlechat"
	"gatehouse/agentd/channel/signal"
	"gatehouse/agentd/channel/slack"
	"gatehouse/agentd/channel/telegram"
	"gatehouse/agentd/channel/whatsapp"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/store"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// channelBudget is how many bytes of a message from outside an agent reads.
const channelBudget = 64 << 10

// openChannels makes ready the ways other than the portal to write to the team.
func (d *Daemon) openChannels(ctx context.Context) (err error) {
	base, err := channel.BaseURLs(d.cfg.State)
	if err != nil {
		return err
	}
	d.channels, err = channel.New(ctx, channel.Deps{
		DB: d.db, Receipts: d.receipts, Runs: messages{d.runtime}, Gate: d.gate, Signed: d.keys, Keys: mailboxKeys{d}, Shelf: mailShelf{d},
		Kinds: channelKinds, BaseURL: base, Config: d.config, Now: d.now, Log: d.log,
		Wrap: func(source, sender, id, text string) (string, []string) {
			b := ingress.Wrap(source, sender, id, text, channelBudget)
			return b.Text, b.Patterns
		},
		HasAgent: d.hasAgent, Broken: d.brokenAgent, Paused: d.pausedBy,
		Approvals: d.gate, Page: d.page, Outgoing: filepath.Join(d.cfg.State, "outgoing"), ReadFile: d.root.ReadFile,
		Alert: func(ctx context.Context, text string) { d.tellOwner(ctx, "channel", "hard", text) },
	})
	if err != nil {
		return err
	}
	d.gate.Listen(d.channels)
	return d.gate.Add(d.channels.Tool())
}

// page is the address of a page of the portal; empty: this server is not registered.
func (d *Daemon) page(path string) string {
	if hub := d.origin(); hub != "" {
		return strings.TrimSuffix(hub, "/") + path
	}
	return ""
}

// paired says whether the owner's identity on a channel is that still.
func (d *Daemon) paired(ctx context.Context, tx *sql.Tx, identity string) (bool, error) {
	if d.channels == nil {
		return false, nil
	}
	return d.channels.Paired(ctx, tx, identity)
}

// replies says whom a call answers that the owner has signed may be answered.
func (d *Daemon) replies(ctx context.Context, tx *sql.Tx, c gate.Call) (string, error) {
	if d.channels == nil {
		return "", nil
	}
	return d.channels.Replies(ctx, tx, c)
}

// messages begins the runs of messages that came by a channel.
type messages struct{ rt *runtime.Runtime }

// Begin implements channel.Runs.
func (m messages) Begin(tx *sql.Tx, s channel.Start) error {
	return m.rt.AcceptScheduled(tx, runtime.Scheduled{
		ChatMessage: wire.ChatMessage{
			RunID: s.RunID, SessionID: s.Session, Agent: s.Agent, Text: s.Text, Files: s.Files, Time: s.At, From: s.From,
		},
		Title: s.Title, Level: s.Level, Taint: s.Taint, Messaging: true, Say: s.Say,
	})
}

// Stop implements channel.Runs.
func (m messages) Stop(ctx context.Context, tx *sql.Tx, run string, by wire.Origin) error {
	return m.rt.AcceptCancel(ctx, tx, wire.RunCancel{RunID: run, By: by})
}

// Answer implements channel.Runs.
func (m messages) Answer(ctx context.Context, run string) (channel.Answer, error) {
	a, err := m.rt.AnswerOf(ctx, run)
	return channel.Answer{
		Ended: a.Ended, Text: a.Text, Into: a.Into, Taint: a.Taint, Failed: a.Failed, Tokens: a.Tokens, Files: a.Files,
	}, err
}

// Erase implements channel.Runs.
func (m messages) Erase(ctx context.Context, session string) (bool, error) {
	return m.rt.EraseSession(ctx, session)
}

// mailboxKeys keeps the passwords of channels in the vault.
type mailboxKeys struct{ d *Daemon }

// Unseal implements channel.Passwords.
func (k mailboxKeys) Unseal(ctx context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	return k.d.counter.Unseal(ctx, wire.MethodChannelChange, name, nonce, box)
}

// Keep implements channel.Passwords.
func (k mailboxKeys) Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(tx *sql.Tx) error) error {
	_, err := k.d.vault.Put(ctx, vault.New{
		Name: name, Kind: vault.KindPassword, Value: v, Source: vault.FromOwner, By: strings.TrimSpace(by.Role + " " + by.Name),
		For: "channel",
	}, k.d.vault.Sparing(ctx, name), also)
	if err != nil {
		return k.d.counter.Shown(wire.MethodChannelChange, err)
	}
	return nil
}

// Key implements channel.Passwords.
func (k mailboxKeys) Key(ctx context.Context, name string) (secret.Value, error) {
	v, err := k.d.vault.Own(ctx, name, "sign-in of a channel")
	if errors.Is(err, vault.ErrUnknown) {
		return secret.Value{}, nil
	}
	return v, err
}

// Drop implements channel.Passwords.
func (k mailboxKeys) Drop(ctx context.Context, name string, by wire.DecidedBy) error {
	none := func(*sql.Tx) error { return nil }
	err := k.d.vault.Remove(ctx, name, strings.TrimSpace(by.Role+" "+by.Name), none)
	if errors.Is(err, vault.ErrUnknown) {
		return nil
	}
	return err
}

// mailShelf keeps files that came by a channel in the data folder, each message's in a folder of its own.
type mailShelf struct{ d *Daemon }

// maxFileName is how many bytes a name may have on any disk, together with what stands before it while the file is written.
const maxFileName = 240

// Save implements channel.Shelf.
func (s mailShelf) Save(_ context.Context, name, id string, files []channel.File) (all []string, err error) {
	folder, err := s.d.root.MakeFolder(path.Join("channels", name, id))
	if err != nil {
		return nil, fmt.Errorf("keep attached files: %w", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	for _, f := range files {
		if err := folder.Replace(f.Name, ".new-"+f.Name, f.Data, 0o640); err != nil {
			s.Drop(all)
			if len(f.Name) > maxFileName {
				err = errors.Join(channel.ErrName, err)
			}
			return nil, fmt.Errorf("keep attached files: %w", err)
		}
		all = append(all, folder.Path(f.Name))
	}
	return all, nil
}

// Drop implements channel.Shelf. What cannot be removed is a file that nobody reads.
func (s mailShelf) Drop(paths []string) {
	for _, p := range paths {
		folder, err := s.d.root.Folder(path.Dir(p))
		if err == nil {
			err = errors.Join(folder.Remove(path.Base(p)), folder.Close())
		}
		if err != nil {
			s.d.log.Warn("attached file not removed", "path", p, "error", err)
		}
	}
	if len(paths) == 0 {
		return
	}
	dir := path.Dir(paths[0])
	if folder, err := s.d.root.Folder(path.Dir(dir)); err == nil {
		_ = errors.Join(folder.Remove(path.Base(dir)), folder.Close()) // an empty folder is in nobody's way
	}
}

// Kept implements channel.Shelf. Only folders that carry the id of a message count: people may keep others beside them.
func (s mailShelf) Kept(_ context.Context, name string) (ids []string, err error) {
	folder, err := s.d.root.Folder(path.Join("channels", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list attached files: %w", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	all, err := folder.Entries()
	if err != nil {
		return nil, fmt.Errorf("list attached files: %w", err)
	}
	for _, e := range all {
		if e.IsDir() && uuid.Validate(e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Forget implements channel.Shelf.
func (s mailShelf) Forget(ctx context.Context, name, id string) error {
	rel := path.Join("channels", name, id)
	if err := s.d.db.Write(ctx, func(tx *sql.Tx) error { return taint.Moved(s.d.db, tx, rel) }); err != nil {
		return fmt.Errorf("forget attached files: %w", err)
	}
	folder, err := s.d.root.Folder(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("forget attached files: %w", err)
	}
	all, err := folder.Entries()
	if err != nil {
		return errors.Join(fmt.Errorf("forget attached files: %w", err), folder.Close())
	}
	var paths []string
	for _, e := range all {
		paths = append(paths, path.Join(rel, e.Name()))
	}
	if err := folder.Close(); err != nil {
		return err
	}
	s.Drop(paths)
	return nil
}

// Mark implements channel.Shelf.
func (s mailShelf) Mark(tx *sql.Tx, file string, by policy.Source) error {
	return taint.Received(s.d.db, tx, file, by, s.d.now())
}

// ChannelsBeside are the channels of a state directory for a command that looks at them: they do not run.
func ChannelsBeside(ctx context.Context, state string, db *store.DB, v *vault.Vault, now func() time.Time) (*channel.Channels, error) {
	base, err := channel.BaseURLs(state)
	if err != nil {
		return nil, err
	}
	return channel.New(ctx, channel.Deps{
		DB: db, Keys: mailboxKeys{&Daemon{vault: v}}, Kinds: channelKinds, BaseURL: base, Now: now, Log: slog.New(slog.DiscardHandler),
	})
}

var channelKinds = map[string]channel.Kind{
	wire.ChannelEmail: email.Kind(nil), wire.ChannelTelegram: telegram.Kind(), wire.ChannelDiscord: discord.Kind(),
	wire.ChannelSignal: signal.Kind(), wire.ChannelSlack: slack.Kind(),
	wire.ChannelWhatsApp: whatsapp.Kind(), wire.ChannelGoogleChat: googlechat.Kind(),
}

// shown is what people are shown of a message: of one that came by a messaging channel what its writer wrote.
func shown(text string, from wire.Origin) string {
	if !wire.IsMessaging(from.Channel) || from.Owner {
		return text
	}
	return ingress.Bare(channel.Said(text))
}
