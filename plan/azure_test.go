package plan

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

func azurePool() Pool {
	return Pool{Project: "subscription-1", Location: "westeurope", Name: "account/pool-a", QoSType: "manual", Azure: &Azure{ResourceGroup: "netapp"}}
}

func TestAzureCommands(t *testing.T) {
	c := azurePool().commands("westeurope", "home", 480)
	const url = "https://management.azure.com/subscriptions/subscription-1/resourceGroups/netapp/providers/Microsoft.NetApp/netAppAccounts/account/capacityPools/pool-a/volumes/home?api-version=2025-09-01"
	for _, pair := range [][2]string{
		{c.Az, "az netappfiles volume update --subscription subscription-1 --resource-group netapp --account-name account --pool-name pool-a --name home --throughput-mibps 480"},
		{c.Gcloud, ""},
		{c.REST.Method, "PATCH"},
		{c.REST.URL, url},
		{c.REST.Body, `{"properties": {"throughputMibps": 480}}`},
		{c.Curl, `az rest --method patch --url '` + url + `' --body '{"properties": {"throughputMibps": 480}}'`},
		{c.Terraform, "resource \"azurerm_netapp_volume\" \"home\" {\n  name                = \"home\"\n  account_name        = \"account\"\n" +
			"  pool_name           = \"pool-a\"\n  throughput_in_mibps = 480\n  # the other arguments stay as they are\n}"},
		{toManual(azurePool()), "az netappfiles pool update --subscription subscription-1 --resource-group netapp --account-name account --name pool-a --qos-type Manual"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("got  %s\nwant %s", pair[0], pair[1])
		}
	}
}

// A real shell hands every odd name to az as one word.
func TestOddNamesInAzureCommands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: there is no shell to ask")
	}
	for _, name := range oddNames() {
		command := strings.Replace(azurePool().commands("westeurope", name, 64).Az, "az ", "printf '%s|' ", 1)
		out, err := exec.CommandContext(t.Context(), bash, "-c", command).Output()
		if want := "|--name|" + name + "|--throughput-mibps|64|"; err != nil || !strings.HasSuffix(string(out), want) && !strings.HasSuffix(string(out), "|--name="+name+"|--throughput-mibps|64|") {
			t.Errorf("%q became %q (%v)", name, out, err)
		}
	}
}

// A pool of the view is planned with its own service's maxima, and its steps are its own cloud's.
func TestPlanOfAzureNetApp(t *testing.T) {
	pool := viewPool("account/pool-a", "manual")
	pool.Identity.Cloud, pool.Identity.Service, pool.Identity.Project, pool.Identity.Location = "azure", "azurenetapp", "subscription-1", "westeurope"
	pool.ResourceGroup, pool.Total, pool.Available = "netapp", 640*mib, 40*mib
	viewVolume(pool, "idle", 400, 40)
	busy := viewVolume(pool, "busy", 200, 199)
	busy.Days.Peak = 200 * mib
	view := &fleet.Fleet{Pools: []*fleet.Pool{pool}}
	request := NewRequest(detectors.DefaultSettings())
	request.Pool = "account/pool-a"
	answer, err := request.Answer(view, detectors.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	made := answer.Pools[0]
	if made.Status != Proposed || made.Certificate == nil || len(made.Steps) != 2 || made.Options.MaxVolume != 4500 || made.Options.MaxLarge != 12800 {
		t.Fatalf("%s (%s), %d steps, %+v", made.Status, made.Reason, len(made.Steps), made.Options)
	}
	if first := made.Steps[0]; first.Volume != "idle" || first.To >= first.From || !strings.HasPrefix(first.Commands.Az, "az netappfiles volume update ") {
		t.Errorf("the first step is %+v", first)
	}
	var text strings.Builder
	if err := made.Text(&text); err != nil {
		t.Fatal(err)
	}
	if printed := text.String(); !strings.Contains(printed, "\naz:\n  az netappfiles volume update ") || strings.Contains(printed, "gcloud") {
		t.Errorf("printed\n%s", printed)
	}
}

func TestAutomaticPoolOfAzureIsRefusedWithItsCommand(t *testing.T) {
	pool := azurePool()
	pool.QoSType = "auto"
	made, err := Build(pool, []Volume{{Name: "v", CurrentMiBps: 64, Coverage: 1, Days: 7, P99: 1, Peak: 1}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != Refused || !strings.Contains(made.Reason, "az netappfiles pool update ") {
		t.Errorf("%s: %s", made.Status, made.Reason)
	}
}

// Without a resource group the commands say so before they begin, once for all steps.
func TestUnknownGroupIsSaid(t *testing.T) {
	pool := azurePool()
	pool.Azure = &Azure{}
	pool.QoSType, pool.TotalMiBps, pool.AvailableMiBps = "manual", 640, 40
	made, err := Build(pool, []Volume{steady("idle", 400, 40), steady("busy", 200, 260)}, Defaults())
	if err != nil || len(made.Steps) != 2 {
		t.Fatalf("%v: %+v", err, made)
	}
	var text strings.Builder
	if err := made.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"\naz:\n", "\nREST:\n"} {
		_, commands, _ := strings.Cut(text.String(), title)
		commands, _, _ = strings.Cut(commands, "\n\n")
		if !strings.HasPrefix(commands, "  # Not ready to run: ") || strings.Count(commands, "# Not ready") != 1 || strings.Count(commands, "--throughput-mibps")+strings.Count(commands, "--method patch") != 2 {
			t.Errorf("%s%s", title, commands)
		}
	}
}
