package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/agentd"
	"gatehouse/agentd/vault/external"
)

// settings are the variables that agentd reads.
type settings struct {
	State     string `env:"AGENTD_STATE" envDefault:"/var/lib/agentd" help:"state directory: agentd's own files, mode 0700"`
	Data      string `env:"AGENTD_DATA" envDefault:"/opt/gatehouse" help:"data folder: the business's files, all that tools see"`
	Hub       string `env:"AGENTD_HUB" help:"base URL of the hub; after registration it may be left out"`
	TokenFile string `env:"AGENTD_TOKEN_FILE" help:"file with the one-time registration token; deleted after use"`
	SMTPAddr  string `env:"AGENTD_SMTP_ADDR" help:"host:port that mail is handed to; without it no mail is sent"`
	MailFrom  string `env:"AGENTD_MAIL_FROM" help:"sender of the team's mail"`
	Demo      bool   `env:"AGENTD_DEMO" help:"1: put the demo's files into the data folder, once"`
	Subagents int    `env:"AGENTD_SUBAGENTS" help:"sub-agents that have not ended at once, 1 to 64; empty: 14"`
	Docker    string `env:"AGENTD_DOCKER_SOCKET" envDefault:"/var/run/docker.sock" help:"socket of the container engine, where agentd may use it"`
	Wipe      string `env:"AGENTD_WIPE_FILE" help:"file that agentd wipe waits for; empty: this machine cannot wipe itself"`
	Metrics   string `env:"AGENTD_METRICS_ADDR" envDefault:"127.0.0.1:0" help:"loopback address of the metrics and of hooks; port 0 takes any, see agentd.pid"`
	Level     string `env:"LOG_LEVEL" envDefault:"info" help:"debug, info, warn or error"`
	BaseURL   string `env:"MODEL_BASE_URL" help:"OpenAI-compatible endpoint; without it the rehearsal model answers"`
	Model     string `env:"MODEL_NAME" help:"the model's name there; its key is the file model.key in the model proxy's state directory"`
	Vectors   string `env:"MODEL_EMBEDDINGS" help:"a model there that says what notes mean; asked only when the owner has signed for it"`
	Guardian  string `env:"GUARDIAN_MODEL" help:"model that takes a second look at risky calls, by the same way as the team's"`
	Socket    string `env:"AGENTD_PROXY_SOCKET" help:"unix socket of the model proxy; without it agentd runs one of its own, as its child"`
	Token     string `env:"AGENTD_PROXY_TOKEN_FILE" help:"file with what agentd shows to the model proxy at that socket"`

	KVAddr      string        `env:"AGENTD_KV_ADDR" help:"https://host:port of a HashiCorp Vault or OpenBao that secrets may come from (agentd secrets source); without it there is none"`
	KVMount     string        `env:"AGENTD_KV_MOUNT" envDefault:"secret" help:"its KV version 2 engine"`
	KVNamespace string        `env:"AGENTD_KV_NAMESPACE" help:"its namespace"`
	KVCAFile    string        `env:"AGENTD_KV_CA_FILE" help:"certificates to trust for it, and no others; without it the system's"`
	KVToken     string        `env:"AGENTD_KV_TOKEN_FILE" help:"file of mode 0600 with a token for it; agentd renews it"`
	KVRoleID    string        `env:"AGENTD_KV_ROLE_ID" help:"instead of a token: role id of AppRole"`
	KVSecretID  string        `env:"AGENTD_KV_SECRET_ID_FILE" help:"file of mode 0600 with the secret id of AppRole"`
	KVLogin     string        `env:"AGENTD_KV_LOGIN" envDefault:"approle" help:"mount of AppRole"`
	KVEvery     time.Duration `env:"AGENTD_KV_EVERY" envDefault:"1m" help:"how often agentd looks for new versions there"`
	KVMaxAge    time.Duration `env:"AGENTD_KV_MAX_AGE" envDefault:"24h" help:"how long a fetched value is used while it does not answer"`

	Pause time.Duration `env:"REHEARSAL_PAUSE" envDefault:"12ms" help:"pause between two pieces of a rehearsal answer"`
}

// load reads the settings. Every fault is reported, not just the first.
func load() (settings, agentd.Config, error) {
	var s settings
	err := env.Parse(&s)
	cfg := agentd.Config{
		State: s.State, Data: s.Data, Hub: s.Hub, TokenFile: s.TokenFile, SMTPAddr: s.SMTPAddr, MailFrom: s.MailFrom, Demo: s.Demo,
		ModelBaseURL: s.BaseURL, ModelName: s.Model, Embeddings: s.Vectors, GuardianModel: s.Guardian, ProxySocket: s.Socket,
		ProxyTokenFile: s.Token, Pause: s.Pause, MetricsAddr: s.Metrics, Version: version(),
		DockerSocket: s.Docker, WipeFile: s.Wipe, Subagents: s.Subagents,
		KV: external.Config{
			Address: s.KVAddr, Mount: s.KVMount, Namespace: s.KVNamespace, CAFile: s.KVCAFile, TokenFile: s.KVToken,
			RoleID: s.KVRoleID, SecretIDFile: s.KVSecretID, Login: s.KVLogin, Every: s.KVEvery, MaxAge: s.KVMaxAge,
		},
	}
	_, levelErr := level(s.Level)
	if err := errors.Join(err, levelErr, cfg.Check()); err != nil {
		return s, cfg, fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	return s, cfg, nil
}

// describeSettings prints the table of variables.
func describeSettings(out *strings.Builder) {
	rows := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	known := map[string]bool{"": true}
	for _, t := range []reflect.Type{
		reflect.TypeFor[settings](), reflect.TypeFor[proxySettings](), reflect.TypeFor[containerSettings](),
		reflect.TypeFor[certificateSettings](), reflect.TypeFor[wipeSettings](),
	} {
		describeFields(rows, t, known)
	}
	_ = rows.Flush() // into memory
}

// describeFields prints the variables of a struct that were not printed yet.
func describeFields(out io.Writer, t reflect.Type, known map[string]bool) {
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if known[tag.Get("env")] {
			continue
		}
		known[tag.Get("env")] = true
		text := tag.Get("help")
		if d := tag.Get("envDefault"); d != "" {
			text += " (default " + d + ")"
		}
		fmt.Fprintf(out, "  %s\t%s\n", tag.Get("env"), text)
	}
}

// version is the binary's own, from the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "dev"
}
