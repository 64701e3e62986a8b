"""Jobs: documents that are spoken into files behind all requests, and outlive the process."""

from service.jobs.jobs_folder import JobsFolder
from service.jobs.record import Job, JobState
from service.jobs.work import JobOrder, perform

__all__ = ["Job", "JobOrder", "JobState", "JobsFolder", "perform"]
