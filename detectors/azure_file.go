package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// FileLimits are what one file of a share may do (azure.md §2.5).
type FileLimits struct{ Operations, Throughput fleet.Value } // per second, bytes per second

// LimitsOfFile are those of a medium; missing for one that is not known.
func LimitsOfFile(media string) FileLimits {
	const mib = 1 << 20
	switch media {
	case fleet.MediaSSD:
		return FileLimits{8_000, 1_024 * mib}
	case fleet.MediaHDD:
		return FileLimits{1_000, 60 * mib}
	}
	return FileLimits{fleet.Unknown, fleet.Unknown}
}

// fileJudgement is how near the busiest file of a share is to what one file may do.
type fileJudgement struct {
	verdict HeldVerdict
	bytes   bool // it is the throughput that is near
	newest  fleet.FileMinute
	limits  FileLimits
}

// JudgeFile tells whether one file is near what a file may do in enough of the newest five sampled minutes. That a minute's busiest
// file is another one's changes nothing: each is near.
func JudgeFile(minutes []fleet.FileMinute, limits FileLimits, settings ShareSettings) (verdict HeldVerdict, bytes bool) {
	var operations, throughput []fleet.Value
	for _, m := range minutes {
		operations, throughput = append(operations, m.Operations.Over(limits.Operations)), append(throughput, m.Throughput.Over(limits.Throughput))
	}
	byOperations, byBytes := JudgeNear(operations, settings), JudgeNear(throughput, settings)
	if byOperations.Severity == 0 && byBytes.Severity != 0 {
		return byBytes, true
	}
	return byOperations, false
}

func (p *pass) fileVerdict(share *fleet.Share) fileJudgement {
	limits := LimitsOfFile(share.Of.Media)
	j := fileJudgement{limits: limits, newest: fleet.FileMinute{Operations: fleet.Unknown, Throughput: fleet.Unknown}}
	if n := len(share.BusiestFile); n > 0 {
		j.newest = share.BusiestFile[n-1]
	}
	j.verdict, j.bytes = JudgeFile(share.BusiestFile, limits, p.settings.Share)
	return j
}

func (p *pass) fileDraft(share *fleet.Share, j fileJudgement) draft {
	load := fmt.Sprintf("%s of the %s", operations(j.newest.Operations), operations(j.limits.Operations))
	near := fact{"operations on the busiest file over what a file may do", j.verdict.Utilisation, "ratio", atLeast(p.settings.Share.Near), ""}
	if j.bytes {
		load = fmt.Sprintf("%s of the %s MiB/s", whole(j.newest.Throughput/mebibyte), whole(j.limits.Throughput/mebibyte))
		near.name = "bytes of the busiest file over what a file may move"
	}
	facts := []fact{
		near,
		{"operations on the busiest file", j.newest.Operations, "operations per second", "", fleet.FeatureShareBusiestFile},
		{"bytes of the busiest file", j.newest.Throughput, "bytes per second", "", fleet.FeatureShareBusiestStream},
	}
	summary := fmt.Sprintf("One file of share %s of account %s does %s that a file may do on %s, whatever the share may do.",
		share.Identity.Volume, share.Identity.Pool, load, mediaName(share.Of))
	if busiest := busiestInLog(share, func(c fleet.ShareClient) fleet.Value { return c.Data }); busiest != nil {
		summary += fmt.Sprintf(" Most of the share's reads and writes in the log are those of %s.", busiest.Address)
		facts = append(facts,
			fact{"clients in the log", fleet.Value(len(share.Clients)), "clients", "", ""},
			fact{"reads and writes of " + busiest.Address, busiest.Data, "operations per second", "", ""},
			fact{"requests under way of " + busiest.Address, busiest.Concurrency, "requests", "", ""},
			fact{"channels of " + busiest.Address, busiest.Channels, "channels", "", ""},
			fact{"distinct files in use by " + busiest.Address, busiest.Files, "files", "", ""})
	}
	return p.shareFill(share, VariantFile, j.verdict.Severity, summary, facts, []Remedy{
		{What: "Find the file in the log.", Command: findFile(share), Caveat: "Reads the log's workspace, which names users' files."},
		{ByHand: handWork, What: "Spread the work over several files.", Caveat: "More of the share, or more channels, help one file no further."},
	})
}

// busiestInLog is the client with most of something in the log, nil where it tells of none.
func busiestInLog(share *fleet.Share, of func(fleet.ShareClient) fleet.Value) *fleet.ShareClient {
	var busiest *fleet.ShareClient
	for i, client := range share.Clients {
		if of(client).Above(0) && (busiest == nil || of(client).Above(float64(of(*busiest)))) {
			busiest = &share.Clients[i]
		}
	}
	return busiest
}

func mediaName(account *fleet.Account) string {
	if account.Media == fleet.MediaHDD {
		return "HDD"
	}
	return "SSD"
}

func findFile(share *fleet.Share) string {
	query := fmt.Sprintf(`StorageFileLogs | where TimeGenerated > ago(1h) and AccountName == "%s" and Uri has "%s" | summarize operations = count() by Uri | top 5 by operations`,
		share.Identity.Pool, share.Identity.Volume)
	return "# Not ready to run: put the id of the log's workspace, which is not known here, in place of WORKSPACE. To see those there are:\n" +
		"# az monitor log-analytics workspace list --query '[].[name, customerId]' --output table\n" +
		"az monitor log-analytics query --workspace WORKSPACE --analytics-query " + quote(query)
}
