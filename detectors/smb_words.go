package detectors

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// channelSummary says what is wrong with the channels to an SMB server.
func (c sessionCase) channelSummary(l ChannelLoad, variant string) string {
	server, channels := c.endpoint.Server, plural(l.Channels, "channel")
	switch variant {
	case VariantPenalty:
		return fmt.Sprintf("The work on %s has %s under way at a time: its %s cannot help it, and may cost it up to about 10 %%.",
			server, several(l.Requests, "request"), channels)
	case VariantHotFile:
		return fmt.Sprintf("%s to %s go to one file in pieces of %s KiB: several channels do not help one hot file, and may cost up to about 10 %%.",
			operations(l.Operations), server, number(l.Size/1024))
	case VariantTooMany:
		return fmt.Sprintf("%s to %s are open; an Azure share gains from up to four, and more are known to be slow.", upper(channels), server)
	case VariantTooFew:
		return fmt.Sprintf("Only %s to %s are open with %s under way.%s", channels, server, plural(l.Requests, "request"), c.channelReason(l))
	}
	return fmt.Sprintf("All %s to %s go over one channel.%s", plural(l.Requests, "request")+" under way", server, c.channelReason(l))
}

// channelReason says what was asked for and why there are fewer channels than there could be, one sentence each.
func (c sessionCase) channelReason(l ChannelLoad) string {
	text := ""
	if l.Asked.Above(l.Channels.Or(0)) {
		text = fmt.Sprintf(" The mount asks for %s.", plural(l.Asked, "channel"))
	}
	return text + c.channelCause(l)
}

// channelCause is what stands in the way of more channels, as far as the client shows it.
func (c sessionCase) channelCause(l ChannelLoad) string {
	smb := c.endpoint.SMB
	switch account := accountOf(c.endpoint); {
	case account != nil && account.Channels() == fleet.ChannelsOff:
		return " Multichannel is off for storage account " + account.Identity.Pool + neverSet(account) + "."
	case smb.Multichannel == "false":
		return " The server does not offer multichannel."
	case oldDialect(smb.Dialect):
		return " The dialect is SMB " + smb.Dialect + ": cloud services offer several channels with 3.1.1."
	case smb.ServerRSS == "false":
		return " The server's interface has no RSS, so that it adds no channels."
	case c.client.SMB.Multichannel == "false":
		return " Multichannel is switched off on this client."
	case smb.ClientRSS == "false":
		return " The client's interface has no RSS, so that it adds no channels."
	case l.Asked == 1:
		return " The mount does not ask for more."
	}
	return ""
}

// oldDialect: the dialect is known and offers no multichannel that clients and services count on (azure.md §2.1).
func oldDialect(dialect string) bool { return dialect != "" && dialect != "3.1.1" }

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// channelRemedy is the advice: parallel work first, settings after it.
func (c sessionCase) channelRemedy(variant string) []Remedy {
	switch variant {
	case VariantPenalty, VariantHotFile:
		return c.fewerChannels(variant)
	case VariantTooMany:
		return []Remedy{{
			What:    "Have two connections for each interface with RSS, so that two interfaces make four channels.",
			Command: "Set-SmbClientConfiguration -ConnectionCountPerRssNetworkInterface 2 -Confirm:$false\nGet-SmbMultichannelConnection | Format-List",
			Caveat:  "Holds for every server of this client. Unmount, wait a minute and mount again for it to show.",
		}}
	}
	return c.moreChannels()
}

// parallelTools are those that a host's system has for copies.
func parallelTools(client *fleet.Client) string {
	if client.SMB.Windows {
		return "robocopy /MT:16, AzCopy"
	}
	return "several copies at once (xargs -P 16, AzCopy)"
}

func (c sessionCase) fewerChannels(variant string) []Remedy {
	first := Remedy{
		ByHand: handWork,
		What:   "Give the work more parallelism: " + parallelTools(c.client) + ", more threads or asynchronous I/O.",
		Caveat: "The remedy with the largest gain.",
	}
	if variant == VariantHotFile {
		first = Remedy{ByHand: handWork, What: "Spread the data over several files."}
	}
	second := Remedy{
		What:    "If all work on this server is of that kind, mount with one channel.",
		Command: remountSMB(c.endpoint, 1),
		Caveat:  interrupts + " " + keepOptions,
	}
	if c.client.SMB.Windows {
		second = Remedy{
			What:    "If at least 90 % of this host's SMB work is of that kind, switch multichannel off on this client.",
			Command: "Set-SmbClientConfiguration -EnableMultiChannel $false -Confirm:$false",
			Caveat:  "Holds for every server of this client. Do not switch it off for the storage account: that would hit all of its clients.",
		}
	}
	return []Remedy{first, second}
}

// moreChannels is what opens four channels, which every service gains from: what stands in the way first.
func (c sessionCase) moreChannels() []Remedy {
	remedies := c.serverFirst()
	if c.client.SMB.Windows {
		return append(remedies, c.windowsChannels()...)
	}
	what := "Open four SMB channels."
	if len(remedies) > 0 {
		what = "Then mount again with four channels."
	}
	return append(remedies, Remedy{
		What: what, Command: remountSMB(c.endpoint, mostChannels),
		Caveat: "Needs a kernel and a server with multichannel, and RSS on the interfaces of both; shares on HDD have none. " + interrupts + " " + keepOptions,
	})
}

// serverFirst is what the server has to do before the client can have more channels.
func (c sessionCase) serverFirst() []Remedy {
	smb := c.endpoint.SMB
	switch {
	case c.endpoint.Provider == fleet.ProviderAzure:
		return c.accountRemedy()
	case smb.Multichannel == "false":
		return []Remedy{{
			ByHand: handServer,
			What:   "Switch multichannel on at the server first.",
			Caveat: "It offers none now: until then a mount gets one channel whatever it asks for.",
		}}
	case smb.ServerRSS == "false":
		return []Remedy{{
			ByHand: handServer,
			What:   "Give the server's network interface RSS first.",
			Caveat: "An interface without it adds no channels, whatever the mount asks for.",
		}}
	}
	return nil
}

func (c sessionCase) windowsChannels() []Remedy {
	if c.endpoint.SMB.ClientRSS == "false" {
		return []Remedy{{
			What:    "Switch receive side scaling on for the interface.",
			Command: "Enable-NetAdapterRss -Name INTERFACE\nGet-SmbMultichannelConnection | Format-List",
			Caveat:  "The interface stops for a moment. Check under load: channels open only then.",
		}}
	}
	return []Remedy{{
		What:    "Let the client open four SMB channels.",
		Command: "Set-SmbClientConfiguration -EnableMultiChannel $true -ConnectionCountPerRssNetworkInterface 4 -Confirm:$false\nGet-SmbMultichannelConnection | Format-List",
		Caveat:  "Unmount, wait a minute and mount again. Check under load: channels open only then. Shares on HDD have no multichannel.",
	}}
}

// remountSMB gives the commands that unmount every share of a server and mount it again with so many channels.
func remountSMB(endpoint *fleet.Endpoint, channels int) string {
	lines := []string{"umount " + strings.Join(mountPoints(endpoint), " ")}
	option := fmt.Sprintf("multichannel,max_channels=%d", channels)
	if channels == 1 {
		option = "nomultichannel"
	}
	for _, mount := range endpoint.Mounts {
		for _, point := range pointsOf(mount) {
			lines = append(lines, fmt.Sprintf("mount -t cifs -o vers=3.1.1,%s,credentials=FILE %s %s", option, quote(unc(mount)), point))
		}
	}
	if len(endpoint.Mounts) == 0 {
		lines = append(lines, fmt.Sprintf("mount -t cifs -o vers=3.1.1,%s,credentials=FILE //%s/SHARE MOUNTPOINT", option, endpoint.Server))
	}
	return strings.Join(lines, "\n")
}

// unc is a share as the mount command names it.
func unc(mount *fleet.Mount) string {
	server := mount.ServerName
	if server == "" {
		server = mount.Server
	}
	return "//" + server + "/" + strings.TrimPrefix(mount.Export, "/")
}
