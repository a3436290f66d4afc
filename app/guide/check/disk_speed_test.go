package check

import (
	"testing"

	"rentgen/app/guide"
)

const (
	oursFio = "fio --name=seq --filename=\"$f\" --rw=read --bs=1M --size=1G --direct=1 --runtime=60"
	oursDD  = "if command -v fio; then\n  " + oursFio + "\nelse\n  dd if=/dev/zero of=\"$f\" bs=1M count=1024 conv=fdatasync\n  dd if=\"$f\" of=/dev/null bs=1M iflag=direct\nfi"
	ddLines = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, "
)

func TestSpeed(t *testing.T) {
	runCases(t, guide.DiskSpeed, []netCase{
		{
			name: "our own command by dd", command: oursDD, want: guide.Pass, out: ddLines + "5.36067 s, 200 MB/s\n" + ddLines + "1.07374 s, 1.0 GB/s\n",
			facts: `{"write_mb_s":200.3,"read_mb_s":1000,"pattern":"seq","cache_suspected":false}`,
		},
		{name: "our own command, reading is slow", command: oursDD, want: guide.Fail, rule: "bad", out: ddLines + "2.5 s, 429 MB/s\n" + ddLines + "35.8 s, 30.0 MB/s\n", facts: `{"read_mb_s":30}`},
		{name: "our own command, one of two results", command: oursDD, want: guide.Warn, rule: "not-enough", out: ddLines + "2.5 s, 429 MB/s\n"},
		{name: "our own command, writing is slow", command: oursDD, want: guide.Warn, rule: "write-slow", out: ddLines + "35.8 s, 30.0 MB/s\n" + ddLines + "1.07374 s, 1.0 GB/s\n"},
		{
			name: "our own command by fio", command: oursDD, want: guide.Pass,
			out: "/usr/bin/fio\nseq: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1\nfio-3.28\nStarting 1 process\nseq: Laying out IO file (1 file / 1024MiB)\n\nseq: (groupid=0, jobs=1): err= 0: pid=812: Mon Nov 30 10:00:00 2026\n" +
				"  read: IOPS=1219, BW=1220MiB/s (1279MB/s)(1024MiB/839msec)\n    clat (usec): min=400, max=5120, avg=815.12\n\nRun status group 0 (all jobs):\n   READ: bw=1220MiB/s (1279MB/s), 1220MiB/s-1220MiB/s (1279MB/s-1279MB/s), io=1024MiB (1074MB), run=839-839msec\n",
			facts: `{"read_mb_s":1279,"pattern":"seq","cache_suspected":false}`,
		},
		{
			name: "random, slow", command: "fio --name=r --rw=randread --bs=4k --size=1G --direct=1", want: guide.Warn, rule: "random-slow",
			out: "r: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=2458, BW=9834KiB/s (10.1MB/s)(577MiB/60001msec)\nRun status group 0 (all jobs):\n   READ: bw=9834KiB/s (10.1MB/s), 9834KiB/s-9834KiB/s (10.1MB/s-10.1MB/s), io=577MiB (605MB), run=60001-60001msec\n", facts: `{"read_mb_s":10.1,"pattern":"random"}`,
		},
		{
			name: "random, very slow", command: "fio --name=r --rw=randread --bs=4k --size=1G --direct=1", want: guide.Fail, rule: "random-bad",
			out: "Run status group 0 (all jobs):\n   READ: bw=187KiB/s (192kB/s), 187KiB/s-187KiB/s (192kB/s-192kB/s), io=11.0MiB (11.5MB), run=60022-60022msec\n", facts: `{"read_mb_s":0.192,"pattern":"random"}`,
		},
		{
			name: "old fio, in bytes a second", command: "fio -rw=randread -bs=4k -direct=1 -name=r", want: guide.Fail, rule: "random-bad",
			out: "fio-2.2.10\nr: (groupid=0, jobs=1): err= 0: pid=4012: Mon Nov 30 10:00:00 2026\n  read : io=56320B, bw=938B/s, iops=0, runt= 60012msec\n", facts: `{"read_mb_s":0.000938,"pattern":"random"}`,
		},
		{
			name: "old fio, in KB of 1024", command: "fio -rw=read -bs=1M -direct=1 -name=r", want: guide.Warn, rule: "slow",
			out: "Run status group 0 (all jobs):\n   READ: io=10240MB, aggrb=102400KB/s, minb=102400KB/s, maxb=102400KB/s, mint=102400msec, maxt=102400msec\n", facts: `{"read_mb_s":104.86,"pattern":"seq"}`,
		},
		{name: "random and good is not enough", command: "fio --rw=randread --bs=4k --direct=1", want: guide.Warn, rule: "not-enough", out: "   READ: bw=200MiB/s (210MB/s), 200MiB/s-200MiB/s (210MB/s-210MB/s), io=1GiB (1074MB), run=5120-5120msec\n"},
		{name: "fio through memory", command: "fio --rw=read --bs=1M", want: guide.Warn, rule: "cache", out: "   READ: bw=5120MiB/s (5369MB/s), 5120MiB/s-5120MiB/s (5369MB/s-5369MB/s), io=1GiB (1074MB), run=200-200msec\n", facts: `{"cache_suspected":true}`},
		{
			name: "small blocks without a command are random", want: guide.Warn, rule: "random-slow",
			out: "  read: IOPS=1500, BW=5860KiB/s (6000kB/s)(343MiB/60001msec)\n", facts: `{"pattern":"random","read_mb_s":6}`,
		},
		{
			name: "two jobs, in a row and at random", command: "fio --direct=1 jobs.fio", want: guide.Warn, rule: "random-slow",
			out: "seq: (g=0): rw=read, bs=(R) 1024KiB-1024KiB\nrand: (g=1): rw=randread, bs=(R) 4096B-4096B\nseq: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=500, BW=500MiB/s (524MB/s)(1GiB/2048msec)\nrand: (groupid=1, jobs=1): err= 0: pid=2\n  read: IOPS=2500, BW=9.77MiB/s (10.2MB/s)(586MiB/60001msec)\n" +
				"Run status group 0 (all jobs):\n   READ: bw=500MiB/s (524MB/s), io=1024MiB (1074MB), run=2048-2048msec\n\nRun status group 1 (all jobs):\n   READ: bw=9.77MiB/s (10.2MB/s), io=586MiB (615MB), run=60001-60001msec\n",
			facts: `{"read_mb_s":524,"pattern":"seq"}`,
		},
		{
			name: "fio as JSON", command: "fio --output-format=json --direct=1 --rw=read --bs=1M --name=seq", want: guide.Pass,
			out: `{"fio version":"fio-3.28","jobs":[{"jobname":"seq","error":0,"job options":{"name":"seq"},"read":{"io_bytes":1073741824,"bw_bytes":900000000,"bw":878906,"iops":858.3},"write":{"io_bytes":0,"bw":0,"iops":0}}]}`, facts: `{"read_mb_s":900,"pattern":"seq"}`,
		},
		{
			name: "fio as JSON, slow and random", command: "fio --output-format=json job.fio", want: guide.Fail, rule: "random-bad",
			out: `{"global options":{"direct":"1"},"jobs":[{"error":0,"job options":{"rw":"randread","bs":"4k"},"read":{"io_bytes":10737418,"bw":175,"iops":43.7},"write":{"io_bytes":0,"bw":0,"iops":0}}]}`, facts: `{"pattern":"random"}`,
		},
		{name: "dd without sync, slow all the same", command: "dd if=/dev/zero of=t bs=1M count=1024", want: guide.Fail, rule: "bad", out: ddLines + "42.1 s, 25.5 MB/s\n", facts: `{"write_mb_s":25.5,"cache_suspected":true}`},
		{name: "dd faster than a disk", command: "dd if=t of=/dev/null bs=1M iflag=direct", want: guide.Warn, rule: "cache", out: ddLines + "0.251 s, 4.3 GB/s\n", facts: `{"read_mb_s":4278,"cache_suspected":true}`},
		{name: "dd read through memory", command: "dd if=t of=/dev/null bs=1M", want: guide.Warn, rule: "cache", out: ddLines + "0.7 s, 1.5 GB/s\n", facts: `{"cache_suspected":true}`},
		{name: "dd read direct", command: "dd if=/data/t of=/dev/null bs=1M iflag=direct 2>&1 | tail -1", want: guide.Pass, out: "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.8 s, 1.3 GB/s\n", facts: `{"read_mb_s":1342}`},
		{name: "dd of busybox", command: "dd if=/dev/zero of=t bs=1M count=1024 conv=fsync", want: guide.Warn, rule: "slow", out: "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.0GB) copied, 9.123456 seconds, 112.2MB/s\n", facts: `{"write_mb_s":117.7,"cache_suspected":false}`},
		{name: "dd in old Chinese", command: "dd if=/dev/zero of=t bs=1M count=1024 oflag=direct", want: guide.Pass, out: "记录了1024+0 的读入\n记录了1024+0 的写出\n1073741824字节(1.1 GB)已复制，3.67359 秒，292 MB/秒\n", facts: `{"write_mb_s":292.3,"locale":"zh"}`},
		{name: "dd in German", command: "dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync", want: guide.Pass, out: "1024+0 Datensätze ein\n1024+0 Datensätze aus\n1073741824 Bytes (1,1 GB, 1,0 GiB) kopiert, 3,67359 s, 292 MB/s\n", facts: `{"write_mb_s":292.3}`},
		{name: "dd with progress", command: "dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync status=progress", want: guide.Pass, out: "524288000 bytes (524 MB, 500 MiB) copied, 1 s, 524 MB/s\r1048576000 bytes (1.0 GB, 1000 MiB) copied, 2 s, 524 MB/s\n" + ddLines + "4.2 s, 256 MB/s\n", facts: `{"write_mb_s":255.7}`},
		{name: "dd pasted with its prompt", want: guide.Pass, out: "root@h:~# dd if=/dev/zero of=t bs=1M count=1024 conv=fdatasync\n" + ddLines + "4.2 s, 256 MB/s\nroot@h:~#\n", facts: `{"cache_suspected":false}`},
		{name: "a command that isn't known", want: guide.Warn, rule: "cache", out: ddLines + "4.2 s, 256 MB/s\n"},
		{name: "no room", command: oursDD, exit: 1, want: guide.Skip, rule: "no-space", out: "dd: error writing '/data/x': No space left on device\n501+0 records in\n500+0 records out\n524288000 bytes (524 MB, 500 MiB) copied, 10.2 s, 51.4 MB/s\n"},
		{name: "no room, said by ourselves", command: oursDD, exit: 1, want: guide.Skip, out: "not started: No space left on device for a test file of 1 GiB\n"},
		{name: "no room for fio, in Chinese", command: oursFio, exit: 1, want: guide.Skip, out: "fio: pid=1, err=28/file:filesetup.c:228, func=write, error=设备上没有空间\n"},
		{name: "not allowed", command: oursDD, exit: 1, want: guide.Warn, rule: "no-write", out: "dd: failed to open '/data/x': Permission denied\n"},
		{name: "no direct reads", command: "dd if=t of=/dev/null iflag=direct", exit: 1, want: guide.Warn, rule: "no-direct", out: "dd: failed to open 't': Invalid argument\n"},
		{name: "fio was cut", command: oursFio, exit: 143, want: guide.Warn, rule: "unread", out: "seq: (g=0): rw=read, bs=(R) 1024KiB-1024KiB\nfio-3.28\nStarting 1 process\n"},
		{name: "dd had no time", command: "dd if=/dev/zero of=t conv=fdatasync", want: guide.Warn, rule: "unread", out: "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0 s, Infinity B/s\n"},
		{name: "read in a row, medium", command: oursFio, want: guide.Warn, rule: "slow", out: "   READ: bw=120MiB/s (126MB/s), 120MiB/s-120MiB/s (126MB/s-126MB/s), io=1GiB (1074MB), run=8533-8533msec\n", facts: `{"read_mb_s":126}`},
	})
}
