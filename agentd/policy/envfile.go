package policy

import (
	"path"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// EnvReadArgs are the arguments of the tool env_read.
type EnvReadArgs struct {
	Path string   `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file of settings\\, such as .env\\, relative to the data folder."`
	Keys []string `json:"keys,omitempty" jsonschema:"maxItems=100,description=The settings to read; none: the names of all. What is secret comes as a reference\\, never as its value."`
}

// EnvUpdateArgs are the arguments of the tool env_update.
type EnvUpdateArgs struct {
	Path    string            `json:"path" jsonschema:"minLength=1,maxLength=4096,description=The file of settings\\, relative to the data folder."`
	Updates map[string]string `json:"updates" jsonschema:"minProperties=1,maxProperties=100,description=New values by name. A secret is given as SECRET_REF(name)."`
}

var (
	envKey  = lazyre.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	envName = []string{".env", ".env.*", "*.env", "*.env.*", ".envrc", "env", "environment"}
	// envSecret are names of settings whose values sign somebody in.
	envSecret = lazyre.MustCompile(`(?i)PASS|SECRET|TOKEN|CREDENTIAL|PRIVATE|_KEY|KEY_|APIKEY|^KEY$|_DSN$|DATABASE_URL|_URI$|SALT|AUTH|CERT|SIGNING|ENCRYPT`)
	// secretRef is a secret by its name alone.
	secretRef = lazyre.MustCompile(`^SECRET_REF\([a-z0-9_.-]+\)$`)
)

// envNever are settings with which one makes programs run or load something else.
var envNever = []string{
	"PATH", "IFS", "SHELL", "ENV", "BASH_ENV", "BASH_FUNC_*", "CDPATH", "PS4", "PROMPT_COMMAND", "EDITOR", "VISUAL", "PAGER", "*_PAGER", "BROWSER", "HOME",
	"LD_*", "DYLD_*", "GIT_*", "NODE_OPTIONS", "NODE_PATH", "PYTHON*", "PERL*", "RUBY*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
	"*_PROXY", "DOCKER_*", "COMPOSE_FILE", "COMPOSE_PROJECT_NAME", "GATEHOUSE_*", "PHPRC", "PHP_INI_SCAN_DIR", "LESSOPEN", "LESSCLOSE", "MANPAGER", "GCONV_PATH", "TERMINFO", "RES_OPTIONS",
	"HOSTALIASES", "OPENSSL_CONF", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_EXTRA_CA_CERTS", "MALLOC_*", "XDG_*", "ZDOTDIR", "INPUTRC",
}

// envFile says why a path is not a file of settings in the data root.
func envFile(p string, env Env) (rel, why string) {
	rel, why, ok := Rel(p, env)
	if !ok {
		return "", why
	}
	dir, base := path.Split(strings.ToLower(rel))
	switch {
	case strings.HasSuffix(p, "/") || !matches(base, envName):
		return "", "That is not a file of settings."
	case ownFolder(path.Join(env.root(), rel), env) != "", dir != "" && Protected(dir, env) != "", matches(base, ownNames):
		return "", "This file may not be touched."
	}
	return rel, ""
}

// EnvRead classifies reading settings: values that are secret come as references, so it is reading.
func EnvRead(a EnvReadArgs, env Env) Class {
	const action = "files.setting.read"
	rel, why := envFile(a.Path, env)
	if why != "" {
		return Refuse(action, why)
	}
	for _, k := range a.Keys {
		if !envKey.MatchString(k) {
			return Refuse(action, "That is not the name of a setting.")
		}
	}
	what := "the names of all settings"
	if len(a.Keys) > 0 {
		what = strings.Join(a.Keys, ", ")
	}
	return Class{Tier: Green, Action: action, Says: settingsSay("Read", what, rel)}
}

// EnvUpdate classifies changing settings. Secret ones are worse; those that make programs run something else are
// never changed.
func EnvUpdate(a EnvUpdateArgs, env Env) Class {
	const action = "files.setting.update"
	rel, why := envFile(a.Path, env)
	if why != "" {
		return Refuse(action, why)
	}
	if len(a.Updates) == 0 || len(a.Updates) > 100 {
		return Refuse(action, "Between 1 and 100 settings can be changed at once.")
	}
	c := Class{Tier: Yellow, Action: action}
	var names []string
	for k, v := range a.Updates {
		if why := badSetting(k, v); why != "" {
			return Refuse(action, why)
		}
		if envSecret.MatchString(k) && c.Tier == Yellow {
			c.Tier, c.Why = Red, "It changes how something signs in."
		}
		names = append(names, k)
	}
	slices.Sort(names)
	c.Says = settingsSay("Change", strings.Join(names, ", "), rel)
	return c
}

// settingsSay is what is done with settings of a file.
func settingsSay(does, settings, rel string) string {
	if len(settings) > mayBeLong {
		return does + " settings in " + visible(rel) + ": " + settings
	}
	return does + " " + settings + " in " + visible(rel)
}

// badSetting says why a setting may not get a value.
func badSetting(k, v string) string {
	switch {
	case !envKey.MatchString(k):
		return "That is not the name of a setting."
	case matches(strings.ToUpper(k), envNever):
		return "With " + k + " one makes programs run something else."
	case len(v) > 64<<10 || strings.ContainsFunc(v, hidden):
		return "A value is one line of text that can be seen."
	case strings.Contains(v, "$(") || strings.Contains(v, "`"):
		return "A value may not hold a command."
	case strings.Contains(v, "SECRET_REF(") && !secretRef.MatchString(v):
		return "A reference to a secret stands alone."
	}
	return ""
}
