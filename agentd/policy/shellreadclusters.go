package policy

import "gatehouse/agentd/lazyre"

// readsClusters ask what runs elsewhere: in the cluster or on the hosts that the owner's settings name.
var readsClusters = map[string][]readForm{
	"kubectl": {
		{"get|describe", kubeReads("o:n:Al:Lw", "output= namespace= all-namespaces selector= show-labels watch no-headers sort-by= field-selector= wide")},
		{"logs", kubeReads("c:n:fpl:", "tail= since= container= namespace= follow previous timestamps all-containers selector=")},
		{"top", kubeReads("n:Al:", "containers namespace= all-namespaces sort-by=")},
		{"version|cluster-info|api-resources|api-versions|explain", named("o:", "client output= short recursive namespaced= api-version=")},
		{"auth can-i", kubeReads("n:A", "list namespace= all-namespaces quiet")},
		{"config current-context|config get-contexts|config get-clusters|config view", nothing},
		{"rollout status|rollout history", kubeReads("n:", "namespace= timeout= revision=")},
	},
	"helm": {
		{"list|ls|history|version", named("n:Aao:", "namespace= all-namespaces all output= short")},
		{"status", named("n:", "namespace=")}, // with a format it prints all values that were given, and the secrets made of them
	},
	"virsh": {{"list|dominfo|domstate|net-list|pool-list|pool-info|vol-list|nodeinfo|version|domblklist|domiflist|snapshot-list", named("", "all title inactive details name")}},
}

// kubeSettings are words that ask for secrets, and for the settings of containers with their values.
var kubeSettings = lazyre.MustCompile(`(?i)secret|\.data|(?:^|^-[a-z]*o=?|^--output=|^--)(?:go-)?template(?:file)?(?:=|$)|-file=|(?:jsonpath|custom-columns)=.*\b(?:env|data)`)

func kubeReads(short, long string) grammar {
	return grammar{
		tier: Green, short: short, long: long, never: kubeSettings,
		shape: lazyre.MustCompile(`^[a-z0-9][A-Za-z0-9./,=_-]*$|^jsonpath=[A-Za-z0-9{}\[\]().,?@*:='"<>! \\_-]+$|^custom-columns=[A-Za-z0-9_.:,*\[\]-]+$`),
	}
}
