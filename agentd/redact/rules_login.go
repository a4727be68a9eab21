package redact

import "strings"

// loginWords are the keywords of what sentences, commands and tables say about logging in.
func loginWords() []keyword {
	var all []keyword
	say := func(run finder, words ...string) { all = append(all, keywords(run, words...)...) }
	say(logins, "unlock", "decrypt", "entpacken", "entsperren", "log in", "login", "sign in", "logging in", "log on", "einloggen", "anmelden", "melden sie sich", "melde dich", "meldet sich", "bind as", "binding as", "authenticate as", "authenticating as", "logs in", "logged in", "signs in", "connectez", "se connecter", "entrar", "iniciar sesi", "accedi", "accedere", "inloggen", "zaloguj", "logowania")
	say(before, "is the ssh login", "is the login", "is the admin login")
	say(pairing, "creds", "creds are", "credentials are", "login", "credentials", "zugangsdaten", "anmeldedaten", "identifiants", "credenciales", "credenziali", "inloggegevens", "credenciais", "dane logowania", "username/password", "user/password", "user/pass", "login:", "logins:", "account:", "zugang:", "auth:", "user/pw", "acceso:", "accesso:", "wifi:", "wlan:", "wi-fi:", "ssid:", "network:", "netzwerk:")
	say(renewed, "das neue ist ", "das neue lautet ", "the new one is ", "the new is ", "new one is ", "new one: ", "le nouveau est ", "la nueva es ", "el nuevo es ", "il nuovo \u00e8 ", "la nuova \u00e8 ")
	say(before, "eingeben", "eintippen", "invoeren")
	say(chosenAs, "come password ", "als passwort ", "als kennwort ", "comme mot de passe ", "como contraseña ", "como clave ", "como senha ", "als wachtwoord ", "som lösenord ", "jako hasło ", "jako heslo ", "as password ")
	say(shortNamed, "ww van ", "ww voor ")
	say(isSaid, "salasana on ", "parool on ", "ww is ", "ww: ", "ww = ")
	say(stroked, " // ")
	all = append(all, keyword{word: " / ", fills: printable + "*`", run: stroked})
	say(printedBelow, printers...)
	say(produced, "random_password", "random_string", "\"min_lower\"", "\"min_special\"", "\"override_special\"")
	say(userTable, "users = {", "users={", "users: {", `users": {`, "users = [", "accounts = {", "credentials = {", "logins = {")
	say(combination, "combinat", "combinai", "combinac", "combinaz", "kombinat", "kombi ", "kombi:")
	say(accountLines, "chpasswd:", "chpasswd <<", "| newusers")
	say(prompted, "> auth ")
	say(stated, "changed it to ", "set it to ", "reset it to ", "changed to ", "passwort auf ", "kennwort auf ", "passwort jetzt auf ", "passwort wieder auf ", "password a ", "contraseña a ", "wachtwoord naar ", "mot de passe en ", "lösenordet till ")
	say(secondArgument, "networkcredential", "basic_auth", "basicauth", "auth=(", "auth = (")
	say(argument, "convertto-securestring")
	say(secretFlag, "secret set", "secret put", "secret create", "secrets set", "secrets create", "secret add", "env add", "variable set")
	say(piped, "--password-stdin", "passwd --stdin", "passwd -s", "sudo -s", "chpasswd", "--passphrase-fd 0", "--pinentry-mode loopback", "env add", "secret put", "secrets put", "secret set", "secret create", "secrets create", "versions add", "auth login", "--set-password", "realm join", "ads join", "vncpasswd", "smbpasswd -s")
	say(statedCode, "utilisez le code ", "saisissez le code ", "entrez le code ", "enter the code ", "enter code ", "use the code ", "den code ", "introduce el código ", "inserisci il codice ", "wpisz kod ", "code is ", "code is:", "code: ", "code ist ", "code lautet ", "code est ", "código es ", "código é ", "codice è ", "kod to ", "code er ", "koden är ")
	say(enteredCode, " to verify", " to log in", " to login", " to sign in", " to confirm", " to continue", " to complete", " to reset", " to authenticate")
	say(passFlag("", "p"), "az login", "oc login", "cf login", "cqlsh", "influx")
	say(passFlag("", "p"), "ncftpput", "ncftpget", "ncftp")
	say(passFlag("", "P"), "mosquitto_pub", "mosquitto_sub") //nolint:misspell // the name of a program
	say(userFlag, "http -a", "https -a", "smbclient", "rpcclient")
	say(positional(2), "htpasswd -b", "htpasswd -bc", "htpasswd -cb", "htpasswd -nb")
	say(positional(3), "sqlconnectinfo")
	say(positional(1), "rootpw", "snmp-server community", "enable secret")
	say(ciscoSecret, "username ")
	say(shareLogin, "net use ")
	say(slashLogin, "sqlplus ", "rman target ", "expdp ", "impdp ")
	say(wifi, "wifi:")
	return all
}

// positional finds the argument of a command that stands behind n-1 others; options are not counted.
func positional(n int) finder {
	return func(text []byte, i, k int, add func(span)) {
		if i > 0 && isWord(text[i-1]) {
			return
		}
		end := commandEnd(text, i+k)
		want := n
		if hasFold(text[i:], "htpasswd") && !hasFold(text[i:], "htpasswd -nb") {
			want++
		}
		at := i + k
		for at < end && text[at] > ' ' {
			at++
		}
		for at < end {
			start := skipAny(text, at, 4, " \"'")
			stop := wordStop(text, start, end)
			if stop <= start {
				return
			}
			at = stop + 1
			if text[start] == '-' || text[start] == '/' && !hasFold(text[i:], "htpasswd") {
				continue
			}
			if want--; want == 0 {
				commandPassword(text, start, stop, add)
				return
			}
		}
	}
}

func commandPassword(text []byte, start, stop int, add func(span)) {
	for stop > start && among(",.;", text[stop-1]) {
		stop--
	}
	if b := text[start:stop]; len(b) >= 6 && !placeholder(b) && !reference(b) && !generic(b) && (mixed(b) || mixedCase(b) && !wordy(b)) {
		add(span{start, stop, -1, kindPassword})
	}
}

// shareLogin finds the password behind the user of a share.
func shareLogin(text []byte, i, n int, add func(span)) {
	end := commandEnd(text, i+n)
	low := strings.ToLower(string(text[i:end]))
	k := strings.Index(low, "/user:")
	if k < 0 {
		return
	}
	at := i + k
	for at < end && text[at] > ' ' {
		at++
	}
	if at = skipAny(text, at, 2, " \""); at < end && text[at] != '/' {
		commandPassword(text, at, wordStop(text, at, end), add)
	}
	for at = i + n; at < i+k; {
		stop := wordStop(text, at, i+k)
		if w := text[at:stop]; len(w) > 2 && w[0] != '\\' && w[0] != '/' && w[len(w)-1] != ':' {
			commandPassword(text, at, stop, add)
		}
		at = stop + 1
	}
}

// slashLogin finds the password of user/password@database.
func slashLogin(text []byte, i, n int, add func(span)) {
	at := i + n
	for at < min(len(text), i+maxQuoted) && text[at] > ' ' && text[at] != '/' {
		at++
	}
	stop := at
	for stop < min(len(text), at+maxQuoted) && text[stop] > ' ' && text[stop] != '@' && text[stop] != '"' && text[stop] != '\'' {
		stop++
	}
	if at > i+n && stop > at+1 {
		commandPassword(text, at+1, stop, add)
	}
}

// wifi finds the password in the code that phones read to join a network.
func wifi(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	for at := i + n; at+2 < end; at++ {
		if (text[at] != 'P' && text[at] != 'p') || text[at+1] != ':' || text[at-1] != ';' && at != i+n {
			continue
		}
		stop := at + 2
		for stop < end && (text[stop] != ';' || text[stop-1] == '\\') {
			stop++
		}
		if b := text[at+2 : stop]; stop < end && len(b) >= 8 && !placeholder(b) {
			add(span{at + 2, stop, -1, kindPassword})
		}
		return
	}
}
