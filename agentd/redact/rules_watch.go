package redact

// watchForms are credentials of monitoring.
var watchForms = []format{
	{kind: "grafana-token", word: "glsa_", expr: `(?i)glsa_[a-z0-9]{32}_[a-f0-9]{8}`},
	{kind: "grafana-token", word: "glc_", expr: `(?i)glc_[A-Za-z0-9+/]{32,}={0,3}`, edge: true},
	{kind: "grafana-token", word: "eyjrijoi", expr: `(?i)eyJrIjoi[A-Za-z0-9]{60,}={0,3}`, edge: true},
	{kind: "sentry-token", word: "sntrys_", expr: `sntrys_eyJ[A-Za-z0-9+/=]{40,}_[A-Za-z0-9+/]{40,}`},
	{kind: "sentry-token", word: "sntryu_", expr: `sntryu_[a-f0-9]{64}`},
	{kind: "dynatrace-token", word: "dt0", fill: "cs", expr: `dt0[cs][0-9]{2}\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}`},
	{kind: "newrelic-key", word: "nrak-", expr: `(?i)NRAK-[a-z0-9]{27}`, edge: true},
	{kind: "newrelic-key", word: "nrjs-", expr: `(?i)NRJS-[a-f0-9]{19}`, edge: true},
	{kind: "newrelic-key", word: "nrii-", expr: `(?i)NRII-[a-z0-9_-]{32}`, edge: true},
	{kind: "newrelic-key", word: "nral", back: 44, expr: `\b[a-f0-9]{32,36}FFFFNRAL\b|\b[a-f0-9]{36}NRAL\b`},
	{kind: "maxmind-key", word: "_mmk", back: 40, expr: `\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b`},
	{kind: "posthog-key", word: "phx_", expr: `phx_[A-Za-z0-9]{40,}`, edge: true},
	{kind: "launchdarkly-key", word: "sdk-", expr: `sdk-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, edge: true},
	{kind: "launchdarkly-key", word: "api-", expr: `api-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, edge: true},
	{kind: "honeycomb-key", word: "x-honeycomb-team", expr: `(?i)x-honeycomb-team["']?\s?[:=,]\s?["']?([a-z0-9]{22,64})\b`},
	{kind: "opsgenie-key", word: "geniekey ", expr: `(?i)GenieKey (` + uuidForm + `)`, edge: true},
	{kind: "loggly-token", word: "loggly.com/", expr: `(?i)loggly\.com/(?:inputs|bulk)/(` + uuidForm + `)`},
	{kind: "uptimerobot-key", word: "uptimerobot", expr: `(?i)uptimerobot[\w .:='"-]{0,40}?\b([umr]{1,2}[0-9]{6,12}-[0-9a-f]{24,32})\b`},
	{kind: "authress-key", word: ".acc", back: 48, expr: `\b(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,}`},
}
