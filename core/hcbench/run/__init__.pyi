# The names of hcbench.run that plugins may use, and where they are defined. lazy_loader reads this
# file.

from .cell import judge as judge, rescore_job as rescore_job, run_job as run_job
from .environment import (
    check_machine as check_machine,
)
from .executors import (
    CellPool as CellPool,
    ThisMachine as ThisMachine,
)
from .failures import describe as describe
from .inputs import (
    give as give,
    make_answers as make_answers,
    make_oracle as make_oracle,
    make_problem as make_problem,
)
from .job import (
    Call as Call,
    Job as Job,
    RescoreJob as RescoreJob,
    call_of as call_of,
    folders_of_code as folders_of_code,
    pack_job as pack_job,
)
from .record import outcome_of as outcome_of
from .requests import make_data as make_data
from .rescore import (
    installed_metrics as installed_metrics,
    plan_of_run as plan_of_run,
    use_described as use_described,
)
from .returned import result_kind as result_kind
from .run import rescore_plan as rescore_plan
from .tasks import make_job as make_job
from .timed_call import call_algorithm as call_algorithm
from .times import Stopwatch as Stopwatch, processor_clock as processor_clock
from .warmth import FirstUses as FirstUses
from .workers import (
    Limits as Limits,
    Report as Report,
)
from .workers.interpreter import (
    child_environment as child_environment,
    named_secrets as named_secrets,
    python_command as python_command,
)
from .workers.processes import children as children
