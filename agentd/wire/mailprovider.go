package wire

// MailProvider is what a form fills in for the mailboxes of a provider.
type MailProvider struct {
	ID, Name   string
	IMAP, SMTP MailServer
	AuthServ   string // the name by which its Authentication-Results begin; *.x is any server of x; empty: look at one
	AppPass    string // where a password for programs is made; empty: the usual password does
}

// MailProviders are the providers that are known, by name. Those that let programs in by OAuth alone are not among them.
var MailProviders = []MailProvider{
	{
		"fastmail", "Fastmail", tls("imap.fastmail.com", 993), tls("smtp.fastmail.com", 465), "*.messagingengine.com",
		"https://app.fastmail.com/settings/security/apps",
	},
	{
		"gmail", "Gmail, Google Workspace", tls("imap.gmail.com", 993), tls("smtp.gmail.com", 465), "mx.google.com",
		"https://myaccount.google.com/apppasswords",
	},
	{"gmx", "GMX", tls("imap.gmx.net", 993), tls("mail.gmx.net", 465), "gmx.net", "https://www.gmx.net/mail/einstellungen"},
	{
		"icloud", "iCloud Mail", tls("imap.mail.me.com", 993),
		MailServer{"smtp.mail.me.com", 587, MailStartTLS},
		"dmarc.icloud.com",
		"https://account.apple.com/account/manage",
	},
	{"ionos", "IONOS", tls("imap.ionos.com", 993), tls("smtp.ionos.com", 465), "", ""},
	{"mailboxorg", "mailbox.org", tls("imap.mailbox.org", 993), tls("smtp.mailbox.org", 465), "", ""},
	{"ovh", "OVH", tls("ssl0.ovh.net", 993), tls("ssl0.ovh.net", 465), "", ""},
	{"posteo", "Posteo", tls("posteo.de", 993), tls("posteo.de", 465), "", ""},
	{"strato", "STRATO", tls("imap.strato.de", 993), tls("smtp.strato.de", 465), "", ""},
	{
		"tonline", "T-Online", tls("secureimap.t-online.de", 993), tls("securesmtp.t-online.de", 465), "",
		"https://email.t-online.de/em#f=Settings",
	},
	{"webde", "WEB.DE", tls("imap.web.de", 993), MailServer{"smtp.web.de", 587, MailStartTLS}, "web.de", ""},
	{
		"yahoo", "Yahoo Mail", tls("imap.mail.yahoo.com", 993), tls("smtp.mail.yahoo.com", 465), "*.yahoo.com",
		"https://login.yahoo.com/account/security",
	},
	{
		"zoho", "Zoho Mail", tls("imap.zoho.eu", 993), tls("smtp.zoho.eu", 465), "mx.zohomail.com",
		"https://accounts.zoho.eu/home#security/app_password",
	},
}

func tls(host string, port int) MailServer { return MailServer{host, port, MailImplicit} }
