package plan

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Commands are the ways to set one volume's throughput. Names are quoted for the language they stand in.
type Commands struct {
	Gcloud    string `json:"gcloud,omitempty"` // empty for Azure
	Az        string `json:"az,omitempty"`     // empty for Google Cloud
	REST      REST   `json:"rest"`
	Curl      string `json:"curl"`      // the REST call for a shell
	Terraform string `json:"terraform"` // the attribute to set, in the volume's own resource
}

// REST is a call of the NetApp API.
type REST struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body"`
}

// Cautions hold for the commands of every plan of a service.
func Cautions(azure bool) []string {
	if azure {
		return []string{
			"Take the steps in order. Each starts an operation: wait until it is done before the next one (az waits by itself).",
			"Terraform applies changes side by side: apply the decreases first, then the increases.",
			"Change a volume at most once in 24 hours, and look at a full day before the next plan.",
			"Nothing interrupts reads or writes; nasight itself changes nothing.",
		}
	}
	return []string{
		"Take the steps in order. Each starts an operation: wait until it is done before the next one (gcloud waits by itself).",
		"gcloud: the published reference lists --throughput-mibps for volumes create; if your version refuses it on update, " +
			"use the REST call.",
		"Terraform applies changes side by side: apply the decreases first, then the increases.",
		"Change a volume at most once in 24 hours, and look at a full day before the next plan.",
		"Nothing interrupts reads or writes; nasight itself changes nothing.",
	}
}

// commands are those of the pool's cloud.
func (p Pool) commands(location, volume string, mibps float64) Commands {
	if p.Azure != nil {
		return p.azureCommands(volume, mibps)
	}
	return commands(p.Project, location, volume, mibps)
}

func commands(project, location, volume string, mibps float64) Commands {
	n := strconv.FormatFloat(mibps, 'f', -1, 64)
	rest := REST{
		Method: "PATCH",
		URL: fmt.Sprintf("https://netapp.googleapis.com/v1/projects/%s/locations/%s/volumes/%s?updateMask=throughputMibps",
			url.PathEscape(project), url.PathEscape(location), url.PathEscape(volume)),
		Body: `{"throughputMibps": ` + n + `}`,
	}
	return Commands{
		Gcloud: fmt.Sprintf("gcloud netapp volumes update %s --project=%s --location=%s --throughput-mibps=%s",
			operand(project, location, "volumes", volume), shell(project), shell(location), n),
		REST: rest,
		Curl: fmt.Sprintf(`curl --fail-with-body -X %s -H "Authorization: Bearer $(gcloud auth print-access-token)" `+
			`-H 'Content-Type: application/json' -d %s %s`, rest.Method, shell(rest.Body), shell(rest.URL)),
		Terraform: fmt.Sprintf("resource \"google_netapp_volume\" %s {\n  name             = %s\n"+
			"  location         = %s\n  throughput_mibps = %s\n  # the other arguments stay as they are\n}",
			hcl(label(volume)), hcl(volume), hcl(location), n),
	}
}

// toManual is the command that makes a pool's QoS manual.
func toManual(pool Pool) string {
	if pool.Azure != nil {
		account, name := pool.azureNames()
		command := "az netappfiles pool update " + pool.azureArguments(account) + " " + shellArgument("--name", name) + " --qos-type Manual"
		if pool.Azure.ResourceGroup == "" {
			command += " (with the account's resource group, which is not known here)"
		}
		return command
	}
	return fmt.Sprintf("gcloud netapp storage-pools update %s --project=%s --location=%s --qos-type=manual",
		operand(pool.Project, pool.Location, "storagePools", pool.Name), shell(pool.Project), shell(pool.Location))
}

// shell quotes a word for a shell where it needs it. Characters that cannot be seen are written as escapes, so that a
// name cannot play tricks with a terminal.
func shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-:@%+,=", r)
	}
	switch {
	case !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }):
		return escaped(word)
	case word == "" || strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

func escaped(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(word) {
		switch {
		case c == '\'' || c == '\\':
			b.Write([]byte{'\\', c})
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// operand is the argument that names a resource. A name that would be taken for an option is given as a full path.
func operand(project, location, kind, name string) string {
	if strings.HasPrefix(name, "-") {
		return shell("projects/" + project + "/locations/" + location + "/" + kind + "/" + name)
	}
	return shell(name)
}

// hcl quotes a string for Terraform, whose templates start with ${ and %{.
func hcl(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(b.String())
}

// label makes a Terraform resource name of a volume's: a letter or underscore first, then letters, digits, _ and -.
func label(volume string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, volume)
	if name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == '-' {
		return "_" + name
	}
	return name
}
