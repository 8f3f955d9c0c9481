#!/usr/bin/env bash
# Ends as the run did: red by the policy (OPENDESK_FAIL_ON), and for nothing else.
code=${OPENDESK_EXIT_CODE:-3}
case $code in
  0) echo "opendesk: nothing that counts (exit code 0)" ;;
  1) echo "opendesk: programs failed${OPENDESK_HEADLINE:+, $OPENDESK_HEADLINE} (exit code 1)" ;;
  2) echo "opendesk: nothing could be judged: programs are invalid, or there are none (exit code 2)" ;;
  3) echo "opendesk: the environment broke; no program is to blame (exit code 3)" ;;
  130) echo "opendesk: interrupted (exit code 130)" ;;
  *) echo "opendesk: exit code $code" ;;
esac
exit "$code"
