package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// channelNotes are the notes about an SMB share.
func (c noteCase) channelNotes() []string {
	smb, asked := c.endpoint.SMB, c.mount.ChannelsAsked
	others := len(c.endpoint.Mounts) - 1
	return pick(
		sentence{smb.Channels.Above(1), fmt.Sprintf("%s are open to the server.", upper(plural(smb.Channels, "channel")))},
		sentence{asked.Above(1) && smb.Channels.Known() && asked > smb.Channels, fmt.Sprintf(
			"The mount asks for %s and has %s.%s", plural(asked, "channel"), whole(smb.Channels), c.channelCause(c.channelLoad()))},
		sentence{oldDialect(smb.Dialect) && !smb.Channels.Above(1) && !asked.Above(1), "The dialect is SMB " + smb.Dialect + ": cloud services offer several channels with 3.1.1."},
		sentence{c.mount.CreditStalls.Above(0), fmt.Sprintf("%s requests a second wait for a credit of the server.", number(c.mount.CreditStalls))},
		sentence{others > 0, fmt.Sprintf("This share has its channels in common with %s of the same server.", plural(fleet.Value(others), "other share"))},
		sentence{c.client.Windows(), "Windows tells nothing of single TCP sessions: one at its ceiling cannot be told from here."},
	)
}

// targetNotes are the notes about an iSCSI target.
func (c noteCase) targetNotes() []string {
	sessions := c.mount.Sessions
	return pick(
		sentence{sessions.Above(1), fmt.Sprintf("%s are logged in to the target at this portal.", upper(plural(sessions, "session")))},
		sentence{c.endpoint.Disconnected.Above(0), fmt.Sprintf("%s to the portal %s not logged in.",
			plural(c.endpoint.Disconnected, "session"), isOrAre(c.endpoint.Disconnected))},
	)
}

func isOrAre(count fleet.Value) string {
	if count == 1 {
		return "is"
	}
	return "are"
}
