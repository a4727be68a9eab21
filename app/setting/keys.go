package setting

// Key names a setting.
type Key string

// Settings about who runs the hub.
const (
	CompanyName    Key = "company.name"
	CompanyAddress Key = "company.address"
	CompanyEmail   Key = "company.email"
	CompanyPhone   Key = "company.phone"
	CompanyHours   Key = "company.hours"
)

// Settings of orders.
const (
	OrdersOpen     Key = "orders.open"
	OrdersPerDay   Key = "orders.per_day"
	OrderMode      Key = "orders.mode"
	OrderPromise   Key = "orders.promised_minutes"
	OrderTellLate  Key = "orders.tell_late"
	OrderTellStaff Key = "orders.tell_staff"
	GraceClosed    Key = "orders.grace_closed_days"
	GraceRefunded  Key = "orders.grace_refunded_days"
	GraceUnpaid    Key = "orders.grace_unpaid_days"
	CloseAfter     Key = "orders.close_account_days"
	InvoicesKept   Key = "billing.invoices_kept_years"
)

// Settings of setting servers up.
const (
	RetryFirst   Key = "provisioning.retry_first_minutes"
	RetrySecond  Key = "provisioning.retry_second_minutes"
	RetryThird   Key = "provisioning.retry_third_minutes"
	RegisterWait Key = "provisioning.register_seconds"
	StepLimit    Key = "provisioning.step_minutes"
	BootWait     Key = "provisioning.boot_minutes"
	LeastMemory  Key = "provisioning.least_memory_mb"
	LeastDisk    Key = "provisioning.least_disk_gb"
)

// Settings of the places where servers are set up.
const (
	ProviderDefault Key = "providers.default"
	ProviderChoice  Key = "providers.choice"
	LocalMost       Key = "providers.local_most"
	HetznerToken    Key = "providers.hetzner_token"
	HetznerMachines Key = "providers.hetzner_machines"
)

// Settings of the names of servers.
const (
	NamesToken  Key = "names.token"
	NamesAPI    Key = "names.api_address"
	NamesAsks   Key = "names.resolver"
	NamesIssuer Key = "names.issuer"
	NamesACME   Key = "names.acme_directory"
	NamesGiveUp Key = "names.give_up_minutes"
	NamesTTL    Key = "names.ttl_seconds"
	NamesCalm   Key = "names.calm_seconds"
)

// Settings of servers in operation.
const (
	DegradedBeats Key = "servers.degraded_beats"
	OfflineBeats  Key = "servers.offline_beats"
	LinkKeyDays   Key = "servers.key_days"
	KeepBeats     Key = "servers.keep_beats_hours"
	KeepFives     Key = "servers.keep_fives_days"
	KeepHours     Key = "servers.keep_hours_days"
)

// Settings of sign-in and safety. None can be weaker than what the hub promises.
const (
	CustomerDays    Key = "security.customer_days"
	StaffHours      Key = "security.staff_hours"
	StaffIdle       Key = "security.staff_idle_minutes"
	PendingMinutes  Key = "security.pending_minutes"
	TriesPerMinute  Key = "security.tries_per_minute"
	OpenInvitations Key = "security.open_invitations"
	TokenDays       Key = "security.token_days"
	MostPasskeys    Key = "security.most_passkeys"
	MostDevices     Key = "security.most_devices"
)

// Settings of mail and notifications.
const (
	MailServer    Key = "mail.server"
	MailUser      Key = "mail.user"
	MailPassword  Key = "mail.password"
	MailTLS       Key = "mail.tls"
	MailFrom      Key = "mail.from"
	ApprovalAfter Key = "approvals.mail_after_minutes"
	ApprovalPause Key = "approvals.mail_pause_minutes"
	PushPause     Key = "push.pause_seconds"
	PushKept      Key = "push.kept_hours"
)

// Settings of how money is taken, and of what it is worth.
const (
	StripeKey     Key = "billing.stripe_key"
	StripeHook    Key = "billing.stripe_hook"
	StripeHookOld Key = "billing.stripe_hook_before"
	RatesAddress  Key = "billing.rates_address" // of exchange rates; empty: our staff enter them
)

// Settings of which model stands behind a preset; empty: each server's own.
const (
	ModelBasic    Key = "billing.model_basic"
	ModelBalanced Key = "billing.model_balanced"
	ModelComplex  Key = "billing.model_complex"
	ModelMeaning  Key = "billing.model_meaning" // that says what notes mean; empty: none is offered
)

// Settings of how the hub runs.
const (
	FilesIn        Key = "running.files_in"
	FilesEndpoint  Key = "running.files_endpoint"
	FilesRegion    Key = "running.files_region"
	FilesBucket    Key = "running.files_bucket"
	FilesKeyID     Key = "running.files_key_id"
	FilesKey       Key = "running.files_key"
	LogLevel       Key = "running.log_level"
	OrderLinesKept Key = "running.order_lines_days"
	MailsKept      Key = "running.approval_mails_days"
	RateSignIn     Key = "running.sign_ins_per_minute"
	RateCheckout   Key = "running.checkouts_per_minute"
	RateMail       Key = "running.mails_per_minute"
	RateInvite     Key = "running.invitations_per_minute"
	RateRegister   Key = "running.registrations_per_minute"
	RateAPI        Key = "running.api_per_minute"
	RateHook       Key = "running.hooks_per_minute"
)
