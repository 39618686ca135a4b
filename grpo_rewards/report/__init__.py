"""A run, or several, as one HTML file to look at: figures, what was rewarded for which reason, and every completion.

``reading`` what a run left, in one pass · ``shown`` prompts and completions as text · ``rows`` completions as a browser
reads them · ``figures`` what is drawn, as plotly's dictionaries · ``packing`` how it travels in a page · ``page`` the
file · ``serving`` the file of a run that goes on, on this machine · ``template`` what the page is made of.

It needs the extra ``[report]``: jinja2 and plotly, whose script is put into the file.
"""

from grpo_rewards.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
