package main

import "context"

func fiftySessions() Figure {
	return Figure{
		Name: "agentd_50_sessions_rss_mb", Unit: "MB", Goal: 100, Take: takeFifty,
		How: "most resident memory of agentd, looked at every 20 ms while 50 conversations take turns as above",
	}
}

func takeFifty(ctx context.Context, s *Stage) (Run, error) {
	pid, err := s.agentdPID()
	if err != nil {
		return Run{}, err
	}
	n := s.count(500, 50)
	most, err := peak(ctx, pid, func(ctx context.Context) error {
		_, err := s.talk(ctx, n)
		return err
	})
	return Run{Value: most, N: n}, err
}
