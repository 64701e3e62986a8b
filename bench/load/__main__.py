import sys

from bench.load.many_clients import main

sys.exit(main())
