package mailtest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/smtp"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Password is that of every mailbox.
const Password = "the-password-of-every-mailbox"

// Server is a mail server. The part before the @ of an address is the name of its mailbox.
type Server struct {
	IMAP, IMAPS, SMTP, SMTPS int // ports
	Roots                    *x509.CertPool
	dir                      string
}

// Start starts a server with the mailboxes of these addresses. It needs to be root, as Postfix does.
func Start(t testing.TB, addresses ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "mailtest") // a socket's name may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &Server{dir: dir, IMAP: free(t), IMAPS: free(t), SMTP: free(t), SMTPS: free(t)}
	s.certificate(t)
	owner, err := user.Lookup("dovecot")
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{
		"": 0o755, "mail": 0o755, "run": 0o755, "postfix": 0o755, "queue": 0o755, "data": 0o700,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, name), mode), os.Chmod(filepath.Join(dir, name), mode)); err != nil {
			t.Fatal(err)
		}
	}
	uid, gid := atoi(t, owner.Uid), atoi(t, owner.Gid)
	post, err := user.Lookup("postfix")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.Chown(s.path("mail"), uid, gid), os.Chown(s.path("data"), atoi(t, post.Uid), atoi(t, post.Gid)))
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "dovecot.conf", fmt.Sprintf(dovecotConf, dir, s.IMAP, s.IMAPS))
	s.write(t, "postfix/main.cf", fmt.Sprintf(mainCf, dir, uid, gid))
	s.write(t, "postfix/master.cf", fmt.Sprintf(masterCf, s.SMTP, s.SMTPS))
	boxes := ""
	for _, a := range addresses {
		name, _, _ := strings.Cut(a, "@")
		boxes += a + " " + name + "/\n" // the slash makes it a Maildir
	}
	s.write(t, "postfix/boxes", boxes)
	s.write(t, "postfix/domains", "/\\.example$|^example\\.com$/ yes\n")
	s.run(t, "dovecot", s.IMAP, "-F", "-c", s.path("dovecot.conf"))
	s.run(t, "postfix", s.SMTP, "-c", s.path("postfix"), "start-fg")
	return s
}

const dovecotConf = `
base_dir = %[1]s/run
state_dir = %[1]s/run
log_path = %[1]s/dovecot.log
protocols = imap
listen = 127.0.0.1
mail_location = maildir:%[1]s/mail/%%n
mailbox_idle_check_interval = 1 secs
first_valid_uid = 1
ssl = yes
ssl_cert = <%[1]s/cert.pem
ssl_key = <%[1]s/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
passdb {
  driver = static
  args = password=` + Password + `
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=%[1]s/mail/%%n allow_all_users=yes
}
service imap-login {
  inet_listener imap {
    port = %[2]d
  }
  inet_listener imaps {
    port = %[3]d
    ssl = yes
  }
}
service auth {
  unix_listener auth-smtp {
    mode = 0666
  }
}
service stats {
  unix_listener stats-writer {
    mode = 0666
  }
}
`

const mainCf = `
compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = %[1]s/postfix.log
maillog_file_prefixes = %[1]s
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.team.example
mydestination =
mynetworks = 127.0.0.0/8
message_size_limit = 60000000
mailbox_size_limit = 0
virtual_mailbox_limit = 0
virtual_mailbox_domains = regexp:%[1]s/postfix/domains
virtual_mailbox_base = %[1]s/mail
virtual_mailbox_maps = texthash:%[1]s/postfix/boxes
virtual_minimum_uid = 1
virtual_uid_maps = static:%[2]d
virtual_gid_maps = static:%[3]d
smtpd_tls_cert_file = %[1]s/cert.pem
smtpd_tls_key_file = %[1]s/key.pem
smtpd_tls_security_level = may
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = %[1]s/run/auth-smtp
smtpd_peername_lookup = no
`

const masterCf = `
127.0.0.1:%[1]d inet n - n - - smtpd
127.0.0.1:%[2]d inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
postlog unix-dgram n - n - 1 postlogd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
`

func (s *Server) path(name string) string { return filepath.Join(s.dir, name) }

func (s *Server) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run starts a program that stays in the foreground, and waits until it listens.
func (s *Server) run(t testing.TB, name string, port int, args ...string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		program = "/usr/sbin/" + name
	}
	out, err := os.Create(s.path(name + ".out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), program, args...) // it is ended below
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // it may have ended
		select {
		case <-ended: //nolint:errcheck // it was told to end
		case <-time.After(5 * time.Second):
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = out.Close()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", Addr(port))
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("%s ended: %v\n%s", name, err, s.said(name))
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen\n%s", name, s.said(name))
		}
	}
}

// said is what a program has written, for the one who looks why it did not start.
func (s *Server) said(name string) string {
	var all []string
	for _, f := range []string{name + ".out", name + ".log"} {
		raw, _ := os.ReadFile(s.path(f)) // there may be none
		all = append(all, string(raw))
	}
	text := strings.Join(all, "\n")
	return text[max(0, len(text)-3000):]
}

// Addr is a port of loopback.
func Addr(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func free(t testing.TB) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// certificate makes one for loopback, which is its own authority.
func (s *Server) certificate(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailtest"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})))
	s.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	own, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(own)
}

// Deliver hands a mail to the server, as another server does. Lines of the mail end in \n.
func (s *Server) Deliver(t testing.TB, from, to, mail string) {
	t.Helper()
	if err := s.deliver(from, to, strings.ReplaceAll(mail, "\n", "\r\n")); err != nil {
		t.Fatalf("%v\n%s", err, s.said("postfix"))
	}
}

func (s *Server) deliver(from, to, mail string) (err error) {
	c, err := smtp.Dial(Addr(s.SMTP))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := errors.Join(c.Mail(from), c.Rcpt(to)); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	_, err = w.Write([]byte(mail))
	return errors.Join(err, w.Close(), c.Quit())
}

// Mails are those in a mailbox, in the order of their delivery.
func (s *Server) Mails(t testing.TB, box string) []string {
	t.Helper()
	type mail struct {
		at   time.Time
		text string
	}
	var all []mail
	for _, sub := range []string{"new", "cur"} {
		entries, err := os.ReadDir(filepath.Join(s.path("mail"), box, sub))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			raw, err := os.ReadFile(filepath.Join(s.path("mail"), box, sub, e.Name()))
			if errors.Is(err, os.ErrNotExist) {
				continue // Dovecot moves what it has seen
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mail{at: delivered(e.Name()), text: string(raw)})
		}
	}
	slices.SortStableFunc(all, func(a, b mail) int { return a.at.Compare(b.at) })
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = m.text
	}
	return texts
}

// fileName is how Postfix names a mail in a Maildir: the second, the device, the inode and the microsecond. In the order of the
// alphabet, those of one second would stand by their inode.
var fileName = regexp.MustCompile(`^(\d+)\.V[0-9a-f]+I[0-9a-f]+M(\d+)\.`)

// delivered is when a mail was delivered, as its file's name says.
func delivered(name string) time.Time {
	part := fileName.FindStringSubmatch(name)
	if part == nil {
		return time.Time{}
	}
	sec, _ := strconv.ParseInt(part[1], 10, 64)
	micro, _ := strconv.ParseInt(part[2], 10, 64)
	return time.Unix(sec, micro*1000)
}
