package check

import (
	"testing"

	"rentgen/app/guide"
)

const (
	oursCPU = "nproc; nproc --all\necho \"OMP_NUM_THREADS=$OMP_NUM_THREADS\"\nlscpu\nc=/sys/fs/cgroup; set -- /dev/null\nhead -n 30 \"$@\""
	lscpu   = "Architecture:                       x86_64\nCPU op-mode(s):                     32-bit, 64-bit\nCPU(s):                             72\nOn-line CPU(s) list:                0-71\nThread(s) per core:                 2\nCore(s) per socket:                 18\nSocket(s):                          2\nNUMA node0 CPU(s):                  0-17,36-53\n"
	quota   = "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us"
)

func TestCPU(t *testing.T) {
	runCases(t, guide.CPUCgroup, []netCase{
		{
			name: "our own command, v2", command: oursCPU, track: guide.Shared, want: guide.Warn, rule: "shown",
			out: "72\n72\nOMP_NUM_THREADS=\n" + lscpu + "==> /dev/null <==\n\n==> /sys/fs/cgroup/cpu.max <==\n1800000 100000\n", facts: `{"nproc":72,"nproc_all":72,"quota_cores":18,"effective_cores":18,"cgroup_version":2,"omp_limited":false}`,
		},
		{
			name: "our own command, nproc knows of the quota", command: oursCPU, track: guide.Shared, want: guide.Pass,
			out: "18\n72\nOMP_NUM_THREADS=\n" + lscpu + "==> /dev/null <==\n\n==> /sys/fs/cgroup/cpu.max <==\n1800000 100000\n", facts: `{"nproc":18,"effective_cores":18}`,
		},
		{
			name: "our own command, v1", command: oursCPU, track: guide.Shared, want: guide.Warn, rule: "shown",
			out: "72\n72\nOMP_NUM_THREADS=\n" + lscpu + "==> /dev/null <==\n\n==> /sys/fs/cgroup/cpu/cpu.cfs_quota_us <==\n800000\n\n==> /sys/fs/cgroup/cpu/cpu.cfs_period_us <==\n100000\n", facts: `{"quota_cores":8,"cgroup_version":1}`,
		},
		{
			name: "a whole machine with cgroups above", command: oursCPU, want: guide.Pass,
			out: "72\n72\nOMP_NUM_THREADS=\n" + lscpu + "==> /dev/null <==\n\n==> /sys/fs/cgroup/user.slice/user-0.slice/session-3.scope/cpu.max <==\nmax 100000\n\n==> /sys/fs/cgroup/user.slice/cpu.max <==\nmax 100000\n", facts: `{"quota_cores":null,"effective_cores":72}`,
		},
		{
			name: "the tightest of those above counts", command: oursCPU, want: guide.Warn, rule: "shown",
			out: "72\n72\nOMP_NUM_THREADS=\n==> /dev/null <==\n\n==> /sys/fs/cgroup/a/b/cpu.max <==\nmax 100000\n\n==> /sys/fs/cgroup/a/cpu.max <==\n2400000 100000\n", facts: `{"quota_cores":24}`,
		},
		{name: "no quota", command: "nproc; cat /sys/fs/cgroup/cpu.max", want: guide.Pass, out: "16\nmax 100000\n", facts: `{"quota_cores":null,"effective_cores":16,"cgroup_version":2}`},
		{name: "no quota in v1", command: "nproc; " + quota, want: guide.Pass, out: "16\n-1\n100000\n", facts: `{"quota_cores":null,"effective_cores":16,"cgroup_version":1}`},
		{name: "half a core", command: "nproc; cat /sys/fs/cgroup/cpu.max", track: guide.Shared, want: guide.Warn, rule: "shown", out: "64\n1250000 100000\n", facts: `{"quota_cores":12.5,"effective_cores":12.5}`},
		{name: "nproc rounds a quota up", command: "nproc; cat /sys/fs/cgroup/cpu.max", track: guide.Shared, want: guide.Pass, out: "13\n1250000 100000\n"},
		{name: "few cores for two cards", command: "nproc; cat /sys/fs/cgroup/cpu.max", context: `{"smi_gpu_count":2}`, want: guide.Warn, rule: "few", out: "8\nmax 100000\n"},
		{name: "nproc alone on a shared machine", command: "nproc", track: guide.Shared, want: guide.Warn, rule: "no-quota", out: "64\n", facts: `{"nproc":64}`},
		{
			name: "neither file on a shared machine", command: "nproc; cat /sys/fs/cgroup/cpu.max; " + quota, exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-quota",
			out: "64\ncat: /sys/fs/cgroup/cpu.max: No such file or directory\ncat: /sys/fs/cgroup/cpu/cpu.cfs_quota_us: No such file or directory\ncat: /sys/fs/cgroup/cpu/cpu.cfs_period_us: No such file or directory\n",
		},
		{name: "OMP set, quota known", command: "nproc; nproc --all; cat /sys/fs/cgroup/cpu.max; echo OMP_NUM_THREADS=$OMP_NUM_THREADS", track: guide.Shared, want: guide.Warn, out: "8\n64\n1600000 100000\nOMP_NUM_THREADS=8\n", facts: `{"effective_cores":16,"omp_limited":true}`},
		{name: "OMP alone", command: "echo $OMP_NUM_THREADS; nproc; nproc --all; cat /sys/fs/cgroup/cpu.max", want: guide.Warn, rule: "omp", out: "1\n1\n48\nmax 100000\n", facts: `{"omp_limited":true,"effective_cores":48}`},
		{name: "OMP isn't set", command: "echo $OMP_NUM_THREADS; nproc; nproc --all; cat /sys/fs/cgroup/cpu.max", want: guide.Pass, out: "\n48\n48\nmax 100000\n", facts: `{"omp_limited":false}`},
		{name: "lscpu in Chinese", command: "lscpu", want: guide.Pass, out: "架构：                   x86_64\n  CPU 运行模式：         32-bit, 64-bit\nCPU:                     32\n  在线 CPU 列表：        0-31\n厂商 ID：                GenuineIntel\n每个核的线程数：         2\n", facts: `{"nproc_all":32,"effective_cores":32,"locale":"zh"}`},
		{name: "lscpu in older Chinese", command: "lscpu", want: guide.Warn, rule: "few", out: "架构：           x86_64\nCPU：            4\n在线 CPU 列表：  0-3\n", facts: `{"nproc_all":4}`},
		{name: "some CPUs are off", command: "lscpu", want: guide.Warn, rule: "shown", out: "CPU(s):                          16\nOn-line CPU(s) list:             0-7\nOff-line CPU(s) list:            8-15\n", facts: `{"effective_cores":8}`},
		{name: "a set of CPUs", command: "nproc; cat /sys/fs/cgroup/cpu.max; cat /sys/fs/cgroup/cpuset.cpus.effective", track: guide.Shared, want: guide.Pass, out: "18\nmax 100000\n0-17\n", facts: `{"effective_cores":18}`},
		{name: "pasted", want: guide.Warn, rule: "shown", track: guide.Shared, out: "root@c:~# nproc\n64\nroot@c:~# cat /sys/fs/cgroup/cpu.max\n800000 100000\nroot@c:~# ", facts: `{"effective_cores":8}`},
		{name: "errors came first", command: "nproc; cat /sys/fs/cgroup/cpu.max; " + quota, track: guide.Shared, want: guide.Warn, rule: "shown", out: "cat: /sys/fs/cgroup/cpu.max: No such file or directory\n64\n800000\n100000\n", facts: `{"quota_cores":8}`},
		{name: "busybox errors", command: "nproc; cat /sys/fs/cgroup/cpu.max; " + quota, track: guide.Shared, want: guide.Warn, out: "64\ncat: can't open '/sys/fs/cgroup/cpu.max': No such file or directory\n800000\n100000\n", facts: `{"quota_cores":8}`},
		{name: "numbers are missing", command: "nproc; nproc --all; " + quota, track: guide.Shared, want: guide.Warn, out: "64\n800000\n"},
		{name: "grep names the files", command: "nproc; grep . /sys/fs/cgroup/cpu/cpu.cfs_*", track: guide.Shared, want: guide.Pass, out: "16\n/sys/fs/cgroup/cpu/cpu.cfs_period_us:100000\n/sys/fs/cgroup/cpu/cpu.cfs_quota_us:1600000\n", facts: `{"quota_cores":16}`},
		{name: "nothing", command: "nproc", exit: 127, want: guide.Warn, rule: "unread", out: "sh: nproc: not found\n"},
	})
}

func TestRAM(t *testing.T) {
	free := "               total        used        free      shared  buff/cache   available\nMem:    810154872832 61203283968 21474836480    70254592 727476752384 740000000000\nSwap:             0           0           0\n"
	small := "               total        used        free      shared  buff/cache   available\nMem:     67430129664 21474836480 21474836480    70254592 24480813056 44000000000\nSwap:             0           0           0\n"
	ours := "free -b\nc=/sys/fs/cgroup; set -- /dev/null\nhead -n 30 \"$@\""
	events := "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n"
	runCases(t, guide.MemCgroup, []netCase{
		{
			name: "our own command", command: ours, track: guide.Shared, context: `{"vram_gib":24}`, want: guide.Warn, rule: "shown",
			out:   free + "==> /dev/null <==\n\n==> /sys/fs/cgroup/memory.max <==\n96636764160\n\n==> /sys/fs/cgroup/memory.current <==\n4096000\n\n==> /sys/fs/cgroup/memory.events <==\n" + events,
			facts: `{"host_total_gib":754.5,"limit_gib":90,"limit_known":true,"effective_gib":90,"oom_killed":false}`,
		},
		{
			name: "our own command on a whole machine", command: ours, context: `{"vram_gib":24}`, want: guide.Pass,
			out:   small + "==> /dev/null <==\n\n==> /sys/fs/cgroup/user.slice/user-0.slice/memory.max <==\nmax\n\n==> /sys/fs/cgroup/user.slice/user-0.slice/memory.events <==\n" + events,
			facts: `{"limit_gib":null,"limit_known":true,"effective_gib":62.8}`,
		},
		{
			name: "our own command, killed", command: ours, track: guide.Shared, want: guide.Fail, rule: "oom",
			out:   free + "==> /dev/null <==\n\n==> /sys/fs/cgroup/memory.max <==\n96636764160\n\n==> /sys/fs/cgroup/memory.events <==\nlow 0\nhigh 0\nmax 4012\noom 12\noom_kill 3\noom_group_kill 0\n",
			facts: `{"oom_killed":true,"memcg_limit_hit":true}`,
		},
		{
			name: "v1, killed", command: "free -b; cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.oom_control", track: guide.Shared, want: guide.Fail, rule: "oom",
			out: small + "34359738368\noom_kill_disable 0\nunder_oom 0\noom_kill 1\n", facts: `{"limit_gib":32,"oom_killed":true}`,
		},
		{name: "no limit of v2", command: "free -b; cat /sys/fs/cgroup/memory.max", context: `{"vram_gib":24}`, want: guide.Pass, out: small + "max\n"},
		{name: "a limit above the machine is none", command: "free -b; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: small + "137438953472\n", facts: `{"limit_gib":128,"effective_gib":62.8}`},
		{name: "limit and use", command: "free -b; cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.current", track: guide.Shared, want: guide.Warn, rule: "shown", out: free + "96636764160\n1234567\n", facts: `{"limit_gib":90}`},
		{
			name: "the limit can't be read", command: "free -b | head -2; cat /sys/fs/cgroup/memory.max", exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-limit",
			out: free + "cat: /sys/fs/cgroup/memory.max: No such file or directory\n", facts: `{"limit_gib":null,"limit_known":false,"host_total_gib":754.5}`,
		},
		{name: "not allowed to read it", command: "cat /sys/fs/cgroup/memory.max", exit: 1, track: guide.Shared, want: guide.Warn, rule: "no-limit", out: "cat: /sys/fs/cgroup/memory.max: Permission denied\n"},
		{name: "free alone", command: "free -h", track: guide.Shared, want: guide.Warn, rule: "no-limit", out: "               total        used        free      shared  buff/cache   available\nMem:           754Gi        57Gi        20Gi        67Mi       677Gi       689Gi\nSwap:             0B          0B          0B\n", facts: `{"host_total_gib":754}`},
		{name: "old free in letters", command: "free -h; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "             total       used       free     shared    buffers     cached\nMem:           62G        21G        41G        70M       1.2G        14G\n-/+ buffers/cache:         5G        57G\nSwap:           0B         0B         0B\nmax\n", facts: `{"host_total_gib":62}`},
		{name: "free in MiB", command: "free -m; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "               total        used        free      shared  buff/cache   available\nMem:           64306       20480       20480          67       23346       41961\nmax\n", facts: `{"host_total_gib":62.8}`},
		{name: "free in KiB", command: "free; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "              total        used        free      shared  buff/cache   available\nMem:       65849736    20971520    20971520       68608    23906696    42968750\nSwap:             0           0           0\nmax\n", facts: `{"host_total_gib":62.8}`},
		{name: "Chinese free", command: "free -h; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "               total        used        free      shared  buff/cache   available\n内存：          62Gi        20Gi        20Gi        67Mi        22Gi        41Gi\n交换：            0B          0B          0B\nmax\n", facts: `{"host_total_gib":62,"locale":"zh"}`},
		{name: "wholly Chinese free", command: "free -m; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "               总计         已用         空闲         共享    缓冲/缓存         可用\n内存：        64306       20480       20480          67       23346       41961\n交换：            0           0           0\nmax\n", facts: `{"host_total_gib":62.8}`},
		{name: "meminfo", command: "grep MemTotal /proc/meminfo; cat /sys/fs/cgroup/memory.max", want: guide.Pass, out: "MemTotal:       65849736 kB\nmax\n", facts: `{"host_total_gib":62.8}`},
		{name: "little RAM", command: "free -b; cat /sys/fs/cgroup/memory.max", want: guide.Warn, rule: "low", out: "               total        used        free      shared  buff/cache   available\nMem:     12884901888  1073741824  8589934592           0           0  8589934592\nmax\n", facts: `{"effective_gib":12}`},
		{name: "less than VRAM", command: "free -b; cat /sys/fs/cgroup/memory.max", context: `{"vram_gib":80}`, want: guide.Warn, rule: "low", out: small + "max\n"},
		{name: "the limit alone", command: "cat /sys/fs/cgroup/memory.max", track: guide.Shared, want: guide.Warn, rule: "no-total", out: "96636764160\n", facts: `{"limit_gib":90,"limit_known":true}`},
		{name: "the counter was cut off", command: "free -b; cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory.events", want: guide.Warn, rule: "no-events", out: small + "max\nlow 0\nhigh 0\n"},
		{
			name: "killed by the whole machine", command: "dmesg | tail -3", want: guide.Fail, rule: "oom-log",
			out:   "[ 9212.3] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice/user-0.slice/session-2.scope,task=python3,pid=4410,uid=0\n[ 9212.4] Out of memory: Killed process 4410 (python3) total-vm:98000000kB, anon-rss:61000000kB, file-rss:1024kB, shmem-rss:0kB, UID:0 pgtables:120000kB oom_score_adj:0\n",
			facts: `{"oom_killed":true,"memcg_limit_hit":false,"anon_rss_kib":61000000}`,
		},
		{
			name: "killed in another container", command: "dmesg | tail -2", track: guide.Shared, context: `{"own_cgroup":"/docker/mine"}`, want: guide.Warn, rule: "oom-other",
			out: "Memory cgroup out of memory: Killed process 4410 (python3) total-vm:9kB, anon-rss:33331000kB, file-rss:70352kB\noom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/docker/other,task_memcg=/docker/other,task=python3,pid=4410,uid=0\n",
		},
		{
			name: "killed, with no cgroup known", command: "dmesg | tail -2", track: guide.Shared, want: guide.Warn, rule: "oom-other",
			out: "Memory cgroup out of memory: Killed process 4410 (python3) total-vm:9kB, anon-rss:33331000kB, file-rss:70352kB\n", facts: `{"oom_killed":true,"memcg_limit_hit":true}`,
		},
		{
			name: "killed, an old kernel's words", command: "dmesg | tail", track: guide.Shared, context: `{"own_cgroup":"/docker/mine"}`, want: guide.Fail, rule: "oom-log",
			out: "Task in /docker/mine killed as a result of limit of /docker/mine\nMemory cgroup out of memory: Kill process 88 (python) score 999 or sacrifice child\nKilled process 88 (python) total-vm:9kB, anon-rss:331000kB, file-rss:70352kB\n", facts: `{"memcg_limit_hit":true,"anon_rss_kib":331000}`,
		},
		{name: "killed, says the shell", command: "python main.py", exit: 137, track: guide.Shared, want: guide.Warn, rule: "killed", out: "got prompt\nKilled\n"},
		{name: "not allowed to read the log", command: "dmesg | tail -2", exit: 1, track: guide.Shared, want: guide.Warn, rule: "unread", out: "dmesg: read kernel buffer failed: Operation not permitted\n"},
		{name: "a hierarchy of v1", command: "free -b; grep hierarchical_memory_limit /sys/fs/cgroup/memory/memory.stat", track: guide.Shared, want: guide.Warn, rule: "shown", out: free + "hierarchical_memory_limit 34359738368\n", facts: `{"limit_gib":32}`},
		{name: "v1 without a limit", command: "free -b; cat /sys/fs/cgroup/memory/memory.limit_in_bytes", want: guide.Pass, out: small + "9223372036854771712\n", facts: `{"limit_gib":null,"limit_known":true}`},
	})
}
