package host

import "strconv"

func windowsModes() modes {
	return modes{
		{"dpc", func(c Core) float64 { return c.SoftIRQ }}, {"idle", func(c Core) float64 { return c.Idle + c.IOWait }},
		{"interrupt", func(Core) float64 { return 0 }}, {"privileged", func(c Core) float64 { return c.System + c.SoftIRQ }},
		{"user", func(c Core) float64 { return c.User }},
	}
}

func (m *Machine) windowsSeries(e *exposition) {
	e.family("windows_cpu_time_total", counter)
	all := windowsModes()
	for i, core := range m.Cores {
		for _, mode := range all {
			e.sample("windows_cpu_time_total", mode.seconds(core), "core", "0,"+strconv.Itoa(i), "mode", mode.name)
		}
	}
	for _, one := range []row[*NIC]{
		{"windows_net_bytes_received_total", counter, func(n *NIC) float64 { return count(n.Received.Bytes) }},
		{"windows_net_bytes_sent_total", counter, func(n *NIC) float64 { return count(n.Sent.Bytes) }},
		{"windows_net_current_bandwidth_bytes", gauge, (*NIC).bytesPerSecond},
		{"windows_net_output_queue_length_packets", gauge, func(*NIC) float64 { return 0 }},
		{"windows_net_packets_outbound_discarded_total", counter, func(*NIC) float64 { return 0 }},
		{"windows_net_packets_received_discarded_total", counter, func(*NIC) float64 { return 0 }},
	} {
		e.family(one.name, one.kind)
		for i := range m.NICs {
			e.sample(one.name, one.value(&m.NICs[i]), "nic", m.NICs[i].Name)
		}
	}
	m.shareSeries(e)
}

func (m *Machine) shareSeries(e *exposition) {
	var shares []shareRow
	var labels [][]string
	for i := range m.SMB {
		for at := range m.SMB[i].Shares {
			shares = append(shares, m.shareRow(&m.SMB[i], &m.SMB[i].Shares[at]))
			labels = append(labels, []string{"server", m.SMB[i].host(), "share", m.SMB[i].Shares[at].Name})
		}
	}
	seconds := func(value uint64) float64 { return float64(value) / ticks }
	for _, one := range []row[*shareRow]{
		{"data_bytes_total", counter, func(s *shareRow) float64 { return float64(s.DataBytesPersec) }},
		{"data_queue_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgDataQueueLength) }},
		{"metadata_requests_total", counter, func(s *shareRow) float64 { return float64(s.MetadataRequestsPersec) }},
		{"read_bytes_total", counter, func(s *shareRow) float64 { return float64(s.ReadBytesPersec) }},
		{"read_queue_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgReadQueueLength) }},
		{"read_requests_total", counter, func(s *shareRow) float64 { return float64(s.ReadRequestsPersec) }},
		{"read_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgReadQueueLength) }},
		{"request_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgDataQueueLength) }},
		{"requests_queued", gauge, func(s *shareRow) float64 { return float64(s.CurrentDataQueueLength) }},
		{"requests_total", counter, func(s *shareRow) float64 { return float64(s.DataRequestsPersec) }},
		{"stalls_total", counter, func(s *shareRow) float64 { return float64(s.CreditStallsPersec) }},
		{"write_bytes_total", counter, func(s *shareRow) float64 { return float64(s.WriteBytesPersec) }},
		{"write_queue_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgWriteQueueLength) }},
		{"write_requests_total", counter, func(s *shareRow) float64 { return float64(s.WriteRequestsPersec) }},
		{"write_seconds_total", counter, func(s *shareRow) float64 { return seconds(s.AvgWriteQueueLength) }},
	} {
		name := "windows_smbclient_" + one.name
		e.family(name, one.kind)
		for i := range shares {
			e.sample(name, one.value(&shares[i]), labels[i]...)
		}
	}
}
