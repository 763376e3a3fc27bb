package windows

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

const host = "client-1"

func files(texts map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range texts {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// run collects from files by name.
func run(t *testing.T, texts map[string]string) *capturetest.Sink {
	t.Helper()
	sink := &capturetest.Sink{}
	if err := New(collectors.Root{Host: host, Windows: files(texts)}).Collect(t.Context(), sink); err != nil {
		t.Fatal(err)
	}
	sink.Check(t)
	return sink
}

// whole is what capture.ps1 records of a host with two interfaces, one of them with receive-side scaling.
var whole = map[string]string{
	"SmbMultichannelConnection.json": `[
		{"ServerName":"files.example.com","Selected":true,"ClientInterfaceIndex":5,"ClientInterfaceFriendlyName":"Ethernet","ClientRSSCapable":true,
		 "ServerRSSCapable":true,"ClientRdmaCapable":false,"ServerRdmaCapable":false,"MaxChannels":4,"CurrentChannels":4},
		{"ServerName":"files.example.com","Selected":true,"ClientInterfaceIndex":9,"ClientInterfaceFriendlyName":"Ethernet 2","ClientRSSCapable":true,
		 "ServerRSSCapable":true,"ClientRdmaCapable":false,"ServerRdmaCapable":false,"MaxChannels":4,"CurrentChannels":4},
		{"ServerName":"files.example.com","Selected":false,"ClientInterfaceIndex":7,"ClientRSSCapable":false,"MaxChannels":1,"CurrentChannels":1}]`,
	"SmbConnection.json": `[
		{"ServerName":"files.example.com","ShareName":"Data","Dialect":"3.1.1","NumOpens":3,"Encrypted":true},
		{"ServerName":"files.example.com","ShareName":"data","Dialect":"3.1.1","NumOpens":2,"Encrypted":true},
		{"ServerName":"files.example.com","ShareName":"IPC$","Dialect":"3.1.1","NumOpens":0,"Encrypted":true},
		{"ServerName":"old","ShareName":"two words","Dialect":"2.10","NumOpens":1,"Encrypted":false}]`,
	"SmbClientConfiguration.json": `{"EnableMultiChannel":true,"ConnectionCountPerRssNetworkInterface":4,"MaximumConnectionCountPerServer":32,
		"EnableBandwidthThrottling":true,"EnableLargeMtu":true}`,
	"SmbClientNetworkInterface.json": `[{"FriendlyName":"Ethernet","InterfaceIndex":5,"RssCapable":true,"RdmaCapable":false,"LinkSpeed":10000000000},
		{"FriendlyName":"Ethernet","InterfaceIndex":5,"RssCapable":true,"RdmaCapable":false,"LinkSpeed":10000000000},
		{"FriendlyName":"Wi-Fi","InterfaceIndex":7,"RssCapable":false,"RdmaCapable":false,"LinkSpeed":0}]`,
	"NetAdapterRss.json":    `{"Name":"Ethernet","InterfaceDescription":"Example Adapter (R) #2","Enabled":true,"NumberOfReceiveQueues":8}`,
	"NetworkInterface.json": `[{"Name":"Example Adapter [R] _2","BytesReceivedPersec":5000,"BytesSentPersec":6000},{"Name":"isatap","BytesReceivedPersec":1,"BytesSentPersec":1}]`,
	"Processor.json": `[{"Name":"0","PercentProcessorTime":30000000,"PercentUserTime":10000000,"PercentPrivilegedTime":5000000,"PercentDPCTime":2000000},
		{"Name":"1","PercentProcessorTime":40000000,"PercentUserTime":1000000,"PercentPrivilegedTime":1000000,"PercentDPCTime":0},
		{"Name":"_Total","PercentProcessorTime":35000000,"PercentUserTime":1,"PercentPrivilegedTime":1,"PercentDPCTime":1}]`,
	"SmbMapping.json": `[{"LocalPath":"Z:","RemotePath":"\\\\files.example.com\\data"},{"RemotePath":"\\\\files.example.com\\pipe"}]`,
	"SmbClientShares.json": `[
		{"Name":"\\files.example.com\\data","ReadBytesPersec":1000,"WriteBytesPersec":200,"ReadRequestsPersec":10,"WriteRequestsPersec":2,
		 "MetadataRequestsPersec":7,"AvgReadQueueLength":25000000,"AvgWriteQueueLength":5000000,"CreditStallsPersec":1,"CurrentDataQueueLength":4},
		{"Name":"\\files.example.com\\data#1","ReadBytesPersec":24,"WriteBytesPersec":0,"ReadRequestsPersec":1,"WriteRequestsPersec":0,
		 "MetadataRequestsPersec":0,"AvgReadQueueLength":0,"AvgWriteQueueLength":0,"CreditStallsPersec":0,"CurrentDataQueueLength":1},
		{"Name":"\\files.example.com","ReadBytesPersec":5},
		{"Name":"_Total","ReadBytesPersec":1029}]`,
}

func TestWholeHost(t *testing.T) { capturetest.Golden(t, "whole.txt", run(t, whole).Text(), *update) }

func TestRowsOfOneServerAreSummed(t *testing.T) {
	sink := run(t, whole)
	for _, want := range []struct {
		family *schema.Family
		labels []string
		value  float64
	}{
		{schema.SMBChannels, []string{host, "files.example.com", protocol}, 8}, // the pair that is not selected is none
		{schema.SMBChannels, []string{host, "old", protocol}, 1},
		{schema.SMBOpenFiles, []string{host, "files.example.com", "Data", protocol, ""}, 5},
		{schema.SMBReadBytes, []string{host, "files.example.com", "Data", protocol, ""}, 1024},
		{schema.SMBRTT, []string{host, "files.example.com", "Data", protocol, "", "read"}, 2.5},
		{schema.NICReceived, []string{host, "Ethernet"}, 5000},
		{schema.CPUSeconds, []string{host, "busy"}, 1.7},
	} {
		if got, ok := sink.Value(want.family, want.labels...); !ok || got != want.value {
			t.Errorf("%s%q is %v, %v; want %v", want.family.Name, want.labels, got, ok, want.value)
		}
	}
	if sink.Skips["odd_instance"] != 1 || sink.Series(schema.SMBMountInfo) != 2 {
		t.Errorf("skips %v, %d mounts", sink.Skips, sink.Series(schema.SMBMountInfo))
	}
}

// endpoint is the info series of fs1 with the labels behind its version.
func endpoint(multichannel, client, server string) []string {
	return []string{host, "fs1", protocol, "fs1", "3.1.1", multichannel, client, server, "unknown"}
}

func TestChannelsAndScaling(t *testing.T) {
	const connection = `{"ServerName":"fs1","ShareName":"a","Dialect":"3.1.1"}`
	const none = -1
	for name, test := range map[string]struct {
		channels, config string
		want             float64
		info             []string
	}{
		"no answer":             {"", "", none, endpoint("unknown", "unknown", "unknown")},
		"no answer, turned off": {"", `{"EnableMultiChannel":false,"ConnectionCountPerRssNetworkInterface":4}`, 1, endpoint("unknown", "unknown", "unknown")},
		"zero rows":             {"[]", "", 1, endpoint("unknown", "unknown", "unknown")},
		"text of zero rows":     {"\r\n", "", 1, endpoint("unknown", "unknown", "unknown")},
		"another server's":      {`{"ServerName":"fs2","CurrentChannels":4}`, "", 1, endpoint("unknown", "unknown", "unknown")},
		"one of two unknown":    {`[{"ServerName":"fs1","CurrentChannels":4},{"ServerName":"fs1","ClientIpAddress":"192.0.2.1"}]`, "", none, endpoint("true", "unknown", "unknown")},
		"case does not count":   {`{"ServerName":"FS1","CurrentChannels":2,"ClientRSSCapable":true}`, "", 2, []string{host, "FS1", protocol, "FS1", "3.1.1", "true", "true", "unknown", "unknown"}},
		"without scaling":       {`{"ServerName":"fs1","CurrentChannels":1,"ClientRSSCapable":false,"ServerRSSCapable":true}`, "", 1, endpoint("true", "false", "true")},
		"RDMA does without":     {`{"ServerName":"fs1","CurrentChannels":2,"ClientRSSCapable":false,"ClientRdmaCapable":true,"ServerRdmaCapable":true}`, "", 2, endpoint("true", "unknown", "unknown")},
		"RDMA at one end":       {`{"ServerName":"fs1","CurrentChannels":1,"ClientRSSCapable":false,"ClientRdmaCapable":true,"ServerRdmaCapable":false}`, "", 1, endpoint("true", "false", "unknown")},
		"by transport":          {`{"ServerName":"fs1","ClientIpAddress":"192.0.2.1","TcpConnectionCount":2,"RdmaConnectionCount":0}`, "", 2, endpoint("true", "unknown", "unknown")},
		"of the cluster":        {`[{"ServerName":"fs1","CurrentChannels":4,"SmbInstance":1},{"ServerName":"fs1","CurrentChannels":2,"SmbInstance":0}]`, "", 2, endpoint("true", "unknown", "unknown")},
	} {
		texts := map[string]string{"SmbConnection.json": connection}
		if test.channels != "" {
			texts["SmbMultichannelConnection.json"] = test.channels
		}
		if test.config != "" {
			texts["SmbClientConfiguration.json"] = test.config
		}
		sink := run(t, texts)
		got, ok := sink.Value(schema.SMBChannels, test.info[:3]...)
		if !ok {
			got = none
		}
		if _, info := sink.Value(schema.SMBEndpointInfo, test.info...); got != test.want || !info {
			t.Errorf("%s: %v channels, want %v, info as wanted %v:\n%s", name, got, test.want, info, sink.Text())
		}
	}
}

func TestNamesThatWereCut(t *testing.T) {
	const table = "ServerName       ShareName NumOpens\n----------       --------- --------\nstorage1.file... data      1\n"
	whole := func(name string) string { return fmt.Sprintf(`{"ServerName":%q,"CurrentChannels":2}`, name) }
	for name, test := range map[string]struct {
		texts map[string]string
		opens bool
	}{
		"alone":          {map[string]string{"a.txt": table}, false},
		"one whole name": {map[string]string{"a.txt": table, "b.json": whole("storage1.file.example.com")}, true},
		"two of them":    {map[string]string{"a.txt": table, "b.json": whole("storage1.file.example.com"), "c.json": whole("storage1.file.example.net")}, false},
	} {
		sink := run(t, test.texts)
		_, ok := sink.Value(schema.SMBOpenFiles, host, "storage1.file.example.com", "data", protocol, "")
		if ok != test.opens || (sink.Skips["odd_name"] == 1) == test.opens {
			t.Errorf("%s: opens known %v, skips %v", name, ok, sink.Skips)
		}
	}
}

// Rows that were printed by hand may be those of another server alone, and a row that was not understood may be this one's.
func TestMissingRowsAreOneChannelOnlyIfAllWereAskedFor(t *testing.T) {
	const connection = `{"ServerName":"fs1","ShareName":"a","Dialect":"3.1.1"}`
	for name, rows := range map[string]string{"pasted.json": `{"ServerName":"fs2","CurrentChannels":4}`, "SmbMultichannelConnection.json": `{"ServerName":"f s","CurrentChannels":4}`} {
		sink := run(t, map[string]string{"SmbConnection.json": connection, name: rows})
		if got, ok := sink.Value(schema.SMBChannels, host, "fs1", protocol); ok {
			t.Errorf("%s: %v channels", name, got)
		}
	}
}

// A table whose columns are not where they seem to be gives names that cannot be.
func TestShiftedColumnsNameNoServer(t *testing.T) {
	sink := run(t, map[string]string{"SmbConnection.json": "[]", "a.txt": `
ServerName           ShareName                     UserName            NumOpens
-----------------    -------------------     ---------------------   -----------
studio-svr data      EXAMPLE\admin      EXAMPLE\admin                        3

ServerName           ShareName            NumOpens
----------           ---------            --------
studio-svr data      EXAMPLE\admin        3
`})
	if sink.Series(schema.SMBMountInfo) != 0 || sink.Skips["odd_name"] != 1 || sink.Skips["odd_text"] != 1 {
		t.Errorf("samples:\n%s", sink.Text())
	}
}

func TestCountersOfGetCounter(t *testing.T) {
	const path = `\\\\client-1\\smb client shares(\\fs1\\data)\\`
	sink := run(t, map[string]string{"a.json": `[{"Path":"` + path + `read bytes/sec","RawValue":4096,"CookedValue":1.5},
		{"Path":"` + path + `avg. read queue length","RawValue":10000000},
		{"Path":"` + path + `current data queue length","CookedValue":2},
		{"Path":"` + path + `write bytes/sec","CookedValue":99},
		{"Path":"\\\\client-1\\processor(0)\\% idle","RawValue":1}]`})
	labels := []string{host, "fs1", "data", protocol, ""}
	for family, want := range map[*schema.Family]float64{schema.SMBReadBytes: 4096, schema.SMBQueued: 2} {
		if got, ok := sink.Value(family, labels...); !ok || got != want {
			t.Errorf("%s is %v, %v; want %v", family.Name, got, ok, want)
		}
	}
	if _, ok := sink.Value(schema.SMBWriteBytes, labels...); ok || sink.Skips["computed_value"] != 1 || sink.Skips["unknown_record"] != 1 {
		t.Errorf("a rate became a count (%v); skips %v", ok, sink.Skips)
	}
}

func TestNothingToTell(t *testing.T) {
	for name, root := range map[string]fs.FS{"no Windows host": nil, "no files": files(nil), "others' files": files(map[string]string{"bundle.json": "{}", "a.exe": ""})} {
		if err := New(collectors.Root{Windows: root}).Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, collectors.ErrNoData) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// unreadable refuses one file.
type unreadable struct {
	fstest.MapFS
	name string
}

func (u unreadable) ReadFile(name string) ([]byte, error) {
	if name == u.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.ReadFile(name)
}

func TestWhatIsRefusedCostsItself(t *testing.T) {
	sink := &capturetest.Sink{}
	err := New(collectors.Root{Host: host, Windows: unreadable{files(whole), "SmbConnection.json"}}).Collect(t.Context(), sink)
	if !errors.Is(err, fs.ErrPermission) || sink.Series(schema.SMBChannels) != 1 || sink.Series(schema.SMBReadBytes) != 1 {
		t.Errorf("error %v, samples:\n%s", err, sink.Text())
	}
}

// Channels and opens are sums over rows, in whatever order the rows come.
func TestSumsDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.IntRange(0, 32), 1, 8).Draw(t, "channels")
		texts, sum := map[string]string{}, 0
		for i, count := range counts {
			texts[fmt.Sprintf("%d.json", i)] = fmt.Sprintf(`{"ServerName":"fs1","ClientInterfaceIndex":%d,"CurrentChannels":%d}`, i, count)
			sum += count
		}
		sink := &capturetest.Sink{}
		if err := New(collectors.Root{Host: host, Windows: files(texts)}).Collect(t.Context(), sink); err != nil {
			t.Fatal(err)
		}
		if got, _ := sink.Value(schema.SMBChannels, host, "fs1", protocol); got != float64(sum) {
			t.Fatalf("%v channels of %v", got, counts)
		}
	})
}

// Whatever a file says, a run ends and gives every series once.
func FuzzCollect(f *testing.F) {
	for _, text := range whole {
		f.Add(text)
	}
	f.Add("ServerName ShareName NumOpens\n---------- --------- --------\nfs1        a         1.234\n")
	f.Fuzz(func(t *testing.T, text string) {
		sink := &capturetest.Sink{}
		_ = New(collectors.Root{Host: host, Windows: files(map[string]string{"a.json": text})}).Collect(t.Context(), sink)
		sink.Check(t)
	})
}

func BenchmarkCollect(b *testing.B) {
	c := New(collectors.Root{Host: host, Windows: files(whole)})
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

// That a host runs Windows does not depend on whether its settings were asked for.
func TestHostWithoutSettingsIsAWindowsHost(t *testing.T) {
	sink := run(t, map[string]string{"x.json": `{"ServerName":"fs1","ShareName":"data","NumOpens":1}`})
	if got, ok := sink.Value(schema.SMBClientInfo, host, "unknown", "", "", "unknown", "unknown"); !ok || got != 1 {
		t.Errorf("no settings:\n%s", sink.Text())
	}
	if sink := run(t, whole); sink.Series(schema.SMBClientInfo) != 1 {
		t.Errorf("told settings:\n%s", sink.Text())
	}
}
