package setting

import "strconv"

func number(k Key, c Category, usual int, u Unit, least, most int) Spec {
	return Spec{Key: k, Category: c, Kind: Number, Default: strconv.Itoa(usual), Unit: u, Min: least, Max: most}
}

func onOff(k Key, c Category, usual string) Spec {
	return Spec{Key: k, Category: c, Kind: Switch, Default: usual}
}

func choice(k Key, c Category, usual string, of ...string) Spec {
	return Spec{Key: k, Category: c, Kind: Choice, Default: usual, Choices: of}
}

func text(k Key, c Category, usual string, check func(string) string) Spec {
	return Spec{Key: k, Category: c, Kind: Text, Default: usual, Empty: true, check: check}
}

func secret(k Key, c Category) Spec { return Spec{Key: k, Category: c, Kind: Secret, Fresh: true} }

// from has a variable of the environment give the default.
func (s Spec) from(env string) Spec {
	s.Env = env
	return s
}

// fresh has a setting changed only after a sign-in of the last minutes.
func (s Spec) fresh() Spec {
	s.Fresh = true
	return s
}

// lines lets a text have several.
func (s Spec) lines(n int) Spec {
	s.Lines = n
	return s
}

// needed forbids an empty text.
func (s Spec) needed() Spec {
	s.Empty = false
	return s
}

// specs are all settings, by category, in the order of the page. The upper bounds of those of safety are what the hub promises:
// they can be made stricter, and no weaker.
var specs = []Spec{
	text(CompanyName, Company, "Gatehouse", nil).needed(),
	text(CompanyAddress, Company, "", nil).lines(5),
	text(CompanyEmail, Company, "", email).from("HUB_CONTACT_EMAIL"),
	text(CompanyPhone, Company, "", phone).from("HUB_CONTACT_PHONE"),
	text(CompanyHours, Company, "", short).from("HUB_CONTACT_TEXT"),

	onOff(OrdersOpen, Orders, On),
	number(OrdersPerDay, Orders, 0, Pieces, 0, 10_000),
	choice(OrderMode, Orders, "AUTO", "AUTO", "MANUAL"),
	number(OrderPromise, Orders, 30, Minutes, 5, 1440),
	onOff(OrderTellLate, Orders, On),
	onOff(OrderTellStaff, Orders, On),
	number(GraceClosed, Orders, 30, Days, 1, 365),
	number(GraceRefunded, Orders, 7, Days, 1, 365),
	number(GraceUnpaid, Orders, 30, Days, 1, 365),
	number(CloseAfter, Orders, 7, Days, 1, 365),

	number(RetryFirst, Provisioning, 1, Minutes, 1, 60),
	number(RetrySecond, Provisioning, 5, Minutes, 1, 240),
	number(RetryThird, Provisioning, 15, Minutes, 1, 1440),
	number(RegisterWait, Provisioning, 60, Seconds, 10, 80),
	number(StepLimit, Provisioning, 30, Minutes, 5, 120),
	number(BootWait, Provisioning, 5, Minutes, 1, 30),
	number(LeastMemory, Provisioning, 900, Megabytes, 512, 1<<20),
	number(LeastDisk, Provisioning, 8, Gigabytes, 4, 10_000),

	choice(ProviderDefault, Providers, "local", "local", "pool", "netcup", "hetzner").from("HUB_PROVIDER"),
	text(ProviderChoice, Providers, "", places),
	number(LocalMost, Providers, 5, Pieces, 0, 5),
	secret(HetznerToken, Providers).from("HETZNER_TOKEN"),
	text(HetznerMachines, Providers, "", machines).from("HETZNER_MACHINES"),

	secret(NamesToken, Names).from("HUB_DNS_TOKEN"),
	text(NamesAPI, Names, "", api).from("HUB_DNS_URL").fresh(),
	text(NamesAsks, Names, "", resolver).from("HUB_DNS_RESOLVER"),
	text(NamesIssuer, Names, "letsencrypt.org", domain).from("HUB_DNS_ISSUER").needed(),
	text(NamesACME, Names, "https://acme-v02.api.letsencrypt.org/directory", directory).from("HUB_ACME_DIRECTORY"),
	number(NamesGiveUp, Names, 72*60, Minutes, 1, 30*24*60).from("HUB_DNS_GIVE_UP"),
	number(NamesTTL, Names, 300, Seconds, 60, 86_400),
	number(NamesCalm, Names, 5, Seconds, 1, 300),

	number(DegradedBeats, Servers, 2, Beats, 1, 20),
	number(OfflineBeats, Servers, 5, Beats, 2, 60),
	number(LinkKeyDays, Servers, 90, Days, 1, 90),
	number(KeepBeats, Servers, 25, Hours, 25, 168),
	number(KeepFives, Servers, 8, Days, 8, 60),
	number(KeepHours, Servers, 91, Days, 91, 1100),

	number(CustomerDays, Security, 30, Days, 1, 30).fresh(),
	number(StaffHours, Security, 12, Hours, 1, 12).fresh(),
	number(StaffIdle, Security, 30, Minutes, 5, 30).fresh(),
	number(PendingMinutes, Security, 10, Minutes, 2, 10).fresh(),
	number(TriesPerMinute, Security, 10, PerMinute, 3, 10).fresh(),
	number(OpenInvitations, Security, 20, Pieces, 1, 100).fresh(),
	number(TokenDays, Security, 365, Days, 1, 365).fresh(),
	number(MostPasskeys, Security, 20, Pieces, 2, 20).fresh(),
	number(MostDevices, Security, 10, Pieces, 1, 20).fresh(),

	text(MailServer, Mail, "", hostPort).from("SMTP_ADDR").fresh(),
	text(MailUser, Mail, "", short).from("SMTP_USER").fresh(),
	secret(MailPassword, Mail).from("SMTP_PASSWORD"),
	onOff(MailTLS, Mail, Off).from("SMTP_TLS").fresh(),
	text(MailFrom, Mail, "Gatehouse <gatehouse@localhost>", sender).from("MAIL_FROM").needed().fresh(),
	number(ApprovalAfter, Mail, 10, Minutes, 1, 1440),
	number(ApprovalPause, Mail, 30, Minutes, 5, 1440),
	number(PushPause, Mail, 30, Seconds, 0, 3600),
	number(PushKept, Mail, 24, Hours, 1, 168),

	secret(StripeKey, Billing).from("STRIPE_SECRET_KEY"),
	secret(StripeHook, Billing).from("STRIPE_WEBHOOK_SECRET"),
	secret(StripeHookOld, Billing),
	text(RatesAddress, Billing, "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml", address).from("RATES_URL"),
	number(InvoicesKept, Billing, 10, Years, 1, 30),
	text(ModelBasic, Billing, "", short),
	text(ModelBalanced, Billing, "", short),
	text(ModelComplex, Billing, "", short),
	text(ModelMeaning, Billing, "", short).from("MODEL_EMBEDDINGS"),

	choice(FilesIn, Running, "folder", "folder", "s3").fresh(),
	text(FilesEndpoint, Running, "", address).fresh(),
	text(FilesRegion, Running, "us-east-1", word).needed().fresh(),
	text(FilesBucket, Running, "", word).fresh(),
	text(FilesKeyID, Running, "", short).fresh(),
	secret(FilesKey, Running),

	choice(LogLevel, Running, "info", "debug", "info", "warn", "error").from("LOG_LEVEL"),
	number(OrderLinesKept, Running, 90, Days, 7, 3650),
	number(MailsKept, Running, 7, Days, 1, 365),
	number(RateSignIn, Running, 30, PerMinute, 5, 30).fresh(),
	number(RateCheckout, Running, 10, PerMinute, 1, 100),
	number(RateMail, Running, 10, PerMinute, 1, 60),
	number(RateInvite, Running, 10, PerMinute, 1, 60),
	number(RateRegister, Running, 60, PerMinute, 5, 600),
	number(RateAPI, Running, 60_000, PerMinute, 60, 600_000),
	number(RateHook, Running, 6000, PerMinute, 60, 60_000),
}
